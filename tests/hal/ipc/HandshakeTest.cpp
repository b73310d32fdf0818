//===- HandshakeTest.cpp - Clients of services that do not answer -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketFixture.h"

#include "avocet/hal/Client.h"
#include "avocet/hal/ResilientDevice.h"
#include "avocet/hal/Totals.h"

#include <functional>

namespace avocet::hal {
namespace {

using namespace std::chrono_literals;

/// A service that is stopped: the kernel still lets clients connect, and nothing answers.
class HandshakeTest : public testing::SocketFixture {
protected:
  void SetUp() override {
    SocketFixture::SetUp();
    stopped_ = bindSocket(16);
  }
  template <typename T> static void expectTimeout(const Result<T> &result) {
    EXPECT_EQ(result.code(), ErrorStatus::DeadObject);
    if (!result) {
      EXPECT_NE(result.error().message.find("not answered in time"), std::string::npos) << result.error().message;
    }
  }

  static constexpr auto kLimit = 30ms;
  FileDescriptor stopped_;
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
