//===- ServiceDevices.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Starts a service on a private socket, whose devices the library then uses. Its death fails the tests.

#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace {

using avocet::hal::ServiceProcess;

class ServiceDevices : public ::testing::Environment {
public:
  void SetUp() override {
    auto folder = avocet::ScratchDirectory::make();
    ASSERT_TRUE(folder.isOk()) << folder.error().message();
    folder_.emplace(std::move(*folder));
    const std::string socket = folder_->path() + "/socket";
    auto started = ServiceProcess::start(AVOCETD, socket, {"--cache-dir", folder_->path() + "/cache"});
    ASSERT_TRUE(started.isOk()) << started.error().message();
    service_ = std::move(*started);
    setenv("AVOCET_NNAPI_DEVICES", "service", 1);
    setenv("AVOCET_SOCKET", socket.c_str(), 1);
  }

  void TearDown() override {
    ASSERT_TRUE(service_.has_value());
    EXPECT_FALSE(service_->death().has_value()) << service_->death().value_or("");
    auto end = service_->stop();
    ASSERT_TRUE(end.isOk()) << end.error().message();
    EXPECT_EQ("ended with exit code 0", *end);
    service_.reset();
    folder_.reset();
  }

private:
  std::optional<avocet::ScratchDirectory> folder_;
  std::optional<ServiceProcess> service_;
};

[[maybe_unused]] const auto *const kEnvironment = ::testing::AddGlobalTestEnvironment(new ServiceDevices);

} // namespace
