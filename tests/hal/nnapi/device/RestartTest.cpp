//===- RestartTest.cpp - A service that starts again ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Its own program, since the library looks for its devices once.

#include "Objects.h"

#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <cstdlib>
#include <future>
#include <gtest/gtest.h>
#include <optional>

namespace avocet::nnapi::testing {
namespace {

using hal::ServiceProcess;

/// Of the two inputs of an addition, with its output in a memory of the device.
void expectSumIn(const Compilation &compilation, const Memory &output) {
  const Addition values(compilation);
  const Execution execution = executionOf(compilation);
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, values.first, sizeof(values.first)));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, values.second, sizeof(values.second)));
  NEED(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, output.get(), 0, 0));
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  const SharedFile file(sizeof(values.output));
  EXPECT_EQ(ANeuralNetworksMemory_copy(output.get(), file.memory().get()), kOk);
  EXPECT_EQ(file.floats()[0], 11);
  EXPECT_EQ(file.floats()[1], 22);
}

/// At last the service ends for good, and the CPU takes over.
TEST(NnapiRestartTest, WaitEndsWhenServiceIsStartedAgain) {
  auto folder = ScratchDirectory::make();
  ASSERT_TRUE(folder.isOk()) << folder.error().message();
  const std::string socket = folder->path() + "/socket";
  std::optional<ServiceProcess> service;
  const auto start = [&] {
    auto started = ServiceProcess::start(AVOCETD, socket, {});
    ASSERT_TRUE(started.isOk()) << started.error().message();
    service.emplace(std::move(*started));
  };
  start();
  setenv("AVOCET_NNAPI_DEVICES", "service", 1);
  setenv("AVOCET_SOCKET", socket.c_str(), 1);
  const ANeuralNetworksDevice *device = firstDevice();
  EXPECT_EQ(ANeuralNetworksDevice_wait(device), kOk);
  service->kill();
  auto waiting = std::async(std::launch::async, [&] { return ANeuralNetworksDevice_wait(device); });
  service.reset();
  start();
  EXPECT_EQ(waiting.get(), kOk);
  const Compilation compilation = compile(addModel());
  Addition addition(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_compute(addition.get()), kOk);
  EXPECT_TRUE(addition.isRight());
  const Compilation automatic = compileForAll(addModel());
  const Memory output = memoryFor(automatic, {}, {0});
  expectSumIn(automatic, output);
  service->kill();
  expectSumIn(automatic, output);
}

} // namespace
} // namespace avocet::nnapi::testing
