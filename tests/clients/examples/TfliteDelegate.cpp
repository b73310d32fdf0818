// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorFlow Lite with Avocet's delegate: classifies one input.
//   T=build/clients/tfjs-tflite-node/cc_deps
//   c++ TfliteDelegate.cpp -I$T/include -L$T/linux_amd64 -ltensorflowlite_c -lexternal_delegate_obj
//       -Wl,-rpath,$PWD/$T/linux_amd64 -o tfliteDelegate
//   ./tfliteDelegate build/release/lib/libavocet_delegate.so MODEL.tflite INPUT.bin
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <tensorflow/lite/c/c_api.h>
#include <tensorflow/lite/delegates/external/external_delegate.h>

template <typename T> using Owned = std::unique_ptr<T, void (*)(T *)>;

template <typename T> static long largest(const TfLiteTensor *tensor) {
  const T *scores = static_cast<const T *>(TfLiteTensorData(tensor));
  return std::max_element(scores, scores + TfLiteTensorByteSize(tensor) / sizeof(T)) - scores;
}

static int fail(const char *what) { return std::fprintf(stderr, "tfliteDelegate: %s\n", what), 1; }

int main(int argc, char **argv) {
  if (argc != 4)
    return fail("usage: tfliteDelegate LIBRARY MODEL.tflite INPUT.bin");
  const Owned<TfLiteModel> model(TfLiteModelCreateFromFile(argv[2]), TfLiteModelDelete);
  if (!model)
    return fail("the model cannot be loaded");

  TfLiteExternalDelegateOptions settings = TfLiteExternalDelegateOptionsDefault(argv[1]);
  settings.insert(&settings, "priority", "high"); // all options: hal/delegate/README.md
  const Owned<TfLiteDelegate> delegate(TfLiteExternalDelegateCreate(&settings), TfLiteExternalDelegateDelete);
  if (!delegate)
    return fail("the delegate cannot be loaded");

  const Owned<TfLiteInterpreterOptions> options(TfLiteInterpreterOptionsCreate(), TfLiteInterpreterOptionsDelete);
  TfLiteInterpreterOptionsAddDelegate(options.get(), delegate.get());
  const Owned<TfLiteInterpreter> interpreter(TfLiteInterpreterCreate(model.get(), options.get()),
                                             TfLiteInterpreterDelete);
  if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter.get()) != kTfLiteOk)
    return fail("the model cannot be prepared");

  TfLiteTensor *input = TfLiteInterpreterGetInputTensor(interpreter.get(), 0);
  std::ifstream file(argv[3], std::ios::binary);
  if (!file.read(static_cast<char *>(TfLiteTensorData(input)),
                 static_cast<std::streamsize>(TfLiteTensorByteSize(input))))
    return fail("the input cannot be read, or is too short");
  if (TfLiteInterpreterInvoke(interpreter.get()) != kTfLiteOk)
    return fail("the inference failed");

  const TfLiteTensor *output = TfLiteInterpreterGetOutputTensor(interpreter.get(), 0);
  const TfLiteType type = TfLiteTensorType(output);
  if (type != kTfLiteInt8 && type != kTfLiteUInt8 && type != kTfLiteFloat32)
    return fail("the scores are not int8, uint8 or float32");
  std::printf("class %ld\n", type == kTfLiteInt8    ? largest<int8_t>(output)
                             : type == kTfLiteUInt8 ? largest<uint8_t>(output)
                                                    : largest<float>(output));
}
