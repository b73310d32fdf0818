// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorFlow Lite with NNAPI: classifies one input. Nothing here is about Avocet; LD_LIBRARY_PATH selects it:
//   T=build/clients/tfjs-tflite-node/cc_deps
//   cc TfliteNnapi.c -I$T/include -L$T/linux_amd64 -ltensorflowlite_c -Wl,-rpath,$PWD/$T/linux_amd64 -o tfliteNnapi
//   LD_LIBRARY_PATH=build/release/lib ./tfliteNnapi MODEL.tflite INPUT.bin
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <tensorflow/lite/c/c_api.h>

// Exported by the library, but its header is not in the package.
void TfLiteInterpreterOptionsSetUseNNAPI(TfLiteInterpreterOptions *options, bool enable);

static int fail(const char *what) {
  fprintf(stderr, "tfliteNnapi: %s\n", what);
  return EXIT_FAILURE;
}

static float score(const TfLiteTensor *output, size_t i) {
  const void *data = TfLiteTensorData(output);
  if (TfLiteTensorType(output) == kTfLiteFloat32)
    return ((const float *)data)[i];
  return TfLiteTensorType(output) == kTfLiteInt8 ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fail("usage: tfliteNnapi MODEL.tflite INPUT.bin");
  TfLiteModel *model = TfLiteModelCreateFromFile(argv[1]);
  if (!model)
    return fail("the model cannot be loaded");
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetUseNNAPI(options, true);
  TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(model, options);
  if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
    return fail("the model cannot be prepared");

  TfLiteTensor *input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  FILE *file = fopen(argv[2], "rb");
  if (!file || fread(TfLiteTensorData(input), 1, TfLiteTensorByteSize(input), file) != TfLiteTensorByteSize(input))
    return fail("the input cannot be read, or is too short");
  fclose(file);
  if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk)
    return fail("the inference failed");

  const TfLiteTensor *output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  const TfLiteType type = TfLiteTensorType(output);
  if (type != kTfLiteInt8 && type != kTfLiteUInt8 && type != kTfLiteFloat32)
    return fail("the scores are not int8, uint8 or float32");
  size_t best = 0, size = type == kTfLiteFloat32 ? sizeof(float) : 1;
  for (size_t i = 1; i < TfLiteTensorByteSize(output) / size; ++i)
    if (score(output, i) > score(output, best))
      best = i;
  printf("class %zu\n", best);
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
}
