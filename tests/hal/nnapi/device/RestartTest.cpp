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
}

} // namespace
} // namespace avocet::nnapi::testing
