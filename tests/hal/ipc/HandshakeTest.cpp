//===- HandshakeTest.cpp - Clients of services that do not answer -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketFixture.h"

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ResilientDevice.h"

#include <chrono>
#include <fcntl.h>
#include <functional>
#include <thread>

namespace avocet::hal {
namespace {

using namespace std::chrono_literals;

/// A stopped service: the kernel accepts connections for it, but no call is answered.
class HandshakeTest : public testing::SocketFixture {
protected:
  void SetUp() override {
    SocketFixture::SetUp();
    stopped_ = bindSocket(16);
    ASSERT_EQ(::fcntl(stopped_.get(), F_SETFL, O_NONBLOCK), 0);
    watchdog_ = std::jthread([this](std::stop_token stop) { endLateCalls(stop); });
  }
  /// Fails a call that waits longer than kPatience, which would otherwise wait without limit.
  void endLateCalls(std::stop_token stop) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(5ms);
      if (std::chrono::steady_clock::now() >= end)
        FileDescriptor(::accept4(stopped_.get(), nullptr, nullptr, SOCK_CLOEXEC)).reset();
    }
  }
  template <typename T> static void expectTimeout(const Result<T> &result) {
    EXPECT_EQ(result.code(), ErrorStatus::DeadObject);
    if (!result) {
      EXPECT_NE(result.error().message.find("not answered in time"), std::string::npos) << result.error().message;
    }
  }

  static constexpr auto kLimit = 30ms;
  static constexpr auto kPatience = 10s;
  FileDescriptor stopped_;
  std::jthread watchdog_; ///< uses the members above
};

TEST_F(HandshakeTest, ListingStoppedServiceEnds) { expectTimeout(listDevices(path_, kLimit)); }

TEST_F(HandshakeTest, TotalsOfStoppedServiceEnd) { expectTimeout(readTotals(path_, kLimit)); }

TEST_F(HandshakeTest, ConnectingToStoppedServiceEnds) {
  ConnectOptions options;
  options.patience = kLimit;
  expectTimeout(connectDevice(path_, "any", options));
}

TEST_F(HandshakeTest, ResilientConnectingHasOwnLimit) {
  ResilientOptions options;
  options.patience = kLimit;
  expectTimeout(connectResilientDevice(path_, "any", options));
}

} // namespace
} // namespace avocet::hal
