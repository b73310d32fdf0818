//===- MessageBytesTest.cpp - The limit of message bytes --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

constexpr uint64_t kShare = MessageBytes::kShare;

TEST(MessageBytes, EndedChargeFreesItsBytes) {
  auto bytes = std::make_shared<MessageBytes>(100, std::make_shared<SharedMessageBytes>(0));
  auto first = bytes->take(60);
  ASSERT_TRUE(first.isOk());
  EXPECT_EQ(bytes->take(41).code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_TRUE(bytes->take(40).isOk());
  *first = nullptr;
  EXPECT_TRUE(bytes->take(100).isOk());
}

TEST(MessageBytes, ShrunkChargeFreesTheDifference) {
  auto bytes = std::make_shared<MessageBytes>(100, std::make_shared<SharedMessageBytes>(0));
  auto first = bytes->take(90);
  ASSERT_TRUE(first.isOk());
  (*first)->shrinkTo(30);
  EXPECT_EQ(bytes->take(71).code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_TRUE(bytes->take(70).isOk());
  *first = nullptr;
  EXPECT_TRUE(bytes->take(100).isOk()) << "the rest is given back once";
}

TEST(MessageBytes, ShrunkChargeFreesBytesOfAllClients) {
  auto all = std::make_shared<SharedMessageBytes>(100);
  auto one = std::make_shared<MessageBytes>(10 * kShare, all), other = std::make_shared<MessageBytes>(10 * kShare, all);
  auto first = one->take(kShare + 100);
  ASSERT_TRUE(first.isOk());
  EXPECT_TRUE(other->take(kShare).isOk()) << "each client has its own share";
  EXPECT_EQ(other->take(kShare + 1).code(), ErrorStatus::ResourceExhaustedTransient);
  (*first)->shrinkTo(kShare + 50);
  EXPECT_TRUE(other->take(kShare + 50).isOk());
  EXPECT_EQ(other->take(kShare + 51).code(), ErrorStatus::ResourceExhaustedTransient);
}

} // namespace
} // namespace avocet::hal
