//===- DebugProbe.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nnapiDebugProbe: prints what debug settings of the library change, one line each: "device NAME" for each device,
// "automatic DEVICES" for a compilation without chosen devices, and "cpu WHERE" and "npu WHERE" for asynchronous
// executions, which run in the thread of the "caller" or in "another". There is no "npu" line without such a device.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "avocet/NeuralNetworksDiagnostic.h"
#include "avocet/base/GuardedMain.h"

#include <cstdio>
#include <thread>

namespace avocet::nnapi::test {
namespace {

std::thread::id executionThread;

void notePlace(const void *, const ANeuralNetworksDiagnosticExecutionInfo *) {
  executionThread = std::this_thread::get_id();
}

void printDevices(const void *, const ANeuralNetworksDiagnosticCompilationInfo *info) {
  std::printf("automatic %s\n", SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(info));
}

void printNames(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const char *name = nullptr;
    ANeuralNetworksDevice_getName(deviceAt(i), &name);
    std::printf("device %s\n", name);
  }
}

void compileAutomatically(const Owned<ANeuralNetworksModel> &model) {
  ANeuralNetworksCompilation *compilation = nullptr;
  SL_ANeuralNetworksDiagnostic_registerCallbacks(printDevices, notePlace, nullptr);
  ANeuralNetworksCompilation_create(model.get(), &compilation);
  ANeuralNetworksCompilation_finish(compilation);
  ANeuralNetworksCompilation_free(compilation);
  SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, notePlace, nullptr);
}

void printPlace(const char *kind, const Owned<ANeuralNetworksModel> &model, ANeuralNetworksDevice *device) {
  const auto compilation = compiled(model, device);
  Numbers numbers;
  const auto execution = executionOf(compilation, numbers);
  ANeuralNetworksEvent *event = nullptr;
  const int started = ANeuralNetworksExecution_startCompute(execution.get(), &event);
  const int ended = ANeuralNetworksEvent_wait(event);
  ANeuralNetworksEvent_free(event);
  const bool isRight = started == ANEURALNETWORKS_NO_ERROR && ended == ANEURALNETWORKS_NO_ERROR && numbers.y[3] == 8;
  const char *place = executionThread == std::this_thread::get_id() ? "caller" : "another";
  std::printf("%s %s\n", kind, isRight ? place : "failed");
}

int runMain(int, char **) {
  useEmbeddedDevice();
  const auto model = multiplication({4}, 2);
  uint32_t count = 0;
  ANeuralNetworks_getDeviceCount(&count);
  printNames(count);
  compileAutomatically(model);
  printPlace("cpu", model, cpuDevice());
  if (count > 1)
    printPlace("npu", model, deviceAt(0));
  return 0;
}

} // namespace
} // namespace avocet::nnapi::test

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, avocet::nnapi::test::runMain); }
