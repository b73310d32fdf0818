// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime with Avocet's execution provider: classifies one input of a network with float32 scores.
//   R=onnxruntime-linux-x64-1.30.0    # a release of ONNX Runtime, 1.23 or later
//   c++ -std=c++17 OnnxRuntime.cpp -I$R/include -L$R/lib -l:libonnxruntime.so.1 -Wl,-rpath,$PWD/$R/lib -o onnxRuntime
//   ./onnxRuntime build/release/lib/libavocet_onnxruntime.so MODEL.onnx INPUT.bin
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <onnxruntime_c_api.h>
#include <string_view>
#include <vector>

static const OrtApi *const ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);

static void check(OrtStatus *status) {
  if (status != nullptr) // also errors of the device
    std::exit(std::fprintf(stderr, "onnxRuntime: %s\n", ort->GetErrorMessage(status)) > 0);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: onnxRuntime LIBRARY MODEL.onnx INPUT.bin\n"), 1;
  OrtEnv *env = nullptr;
  check(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "example", &env));
  check(ort->RegisterExecutionProviderLibrary(env, "avocet", argv[1])); // the only lines for Avocet: this one ...
  const OrtEpDevice *const *devices = nullptr;
  size_t count = 0;
  check(ort->GetEpDevices(env, &devices, &count));
  const auto *ours = std::find_if(devices, devices + count, [](const OrtEpDevice *device) {
    return std::string_view(ort->EpDevice_EpName(device)) == "AvocetExecutionProvider";
  });
  OrtSessionOptions *options = nullptr;
  check(ort->CreateSessionOptions(&options));
  const char *keys[] = {"device", "priority"}, *values[] = {"e256", "high"}; // all options: hal/onnxruntime/README.md
  check(ort->SessionOptionsAppendExecutionProvider_V2(options, env, ours, 1, keys, values, 2)); // ... to this one
  OrtSession *session = nullptr;
  check(ort->CreateSession(env, argv[2], options, &session)); // compiles for the device

  std::ifstream file(argv[3], std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const int64_t shape[] = {1, static_cast<int64_t>(bytes.size() / sizeof(float))};
  OrtMemoryInfo *memory = nullptr;
  OrtValue *input = nullptr, *output = nullptr;
  check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(ort->CreateTensorWithDataAsOrtValue(memory, bytes.data(), bytes.size(), shape, 2,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
  const char *inputName = "image", *outputName = "scores"; // as the network calls them
  check(ort->Run(session, nullptr, &inputName, &input, 1, &outputName, 1, &output));
  float *scores = nullptr;
  check(ort->GetTensorSizeInBytes(output, &count));
  check(ort->GetTensorMutableData(output, reinterpret_cast<void **>(&scores)));
  std::printf("class %td\n", std::max_element(scores, scores + count / sizeof(float)) - scores);
  ort->ReleaseSession(session); // before the environment, which unloads the library
  ort->ReleaseEnv(env);
}
