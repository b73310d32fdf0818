//===- ResultCodesTest.cpp - Errors of the HAL as codes of the C API ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "api/ApiResult.h"
#include "avocet/NeuralNetworks.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace avocet::nnapi {
namespace {

using enum hal::ErrorStatus;

TEST(ResultCodesTest, EachErrorOfTheHalHasItsCode) {
  const std::pair<hal::ErrorStatus, int> expected[] = {
      {None, ANEURALNETWORKS_NO_ERROR},
      {DeviceUnavailable, ANEURALNETWORKS_UNAVAILABLE_DEVICE},
      {GeneralFailure, ANEURALNETWORKS_OP_FAILED},
      {OutputInsufficientSize, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE},
      {InvalidArgument, ANEURALNETWORKS_BAD_DATA},
      {MissedDeadlineTransient, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT},
      {MissedDeadlinePersistent, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT},
      {ResourceExhaustedTransient, ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT},
      {ResourceExhaustedPersistent, ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT},
      {DeadObject, ANEURALNETWORKS_DEAD_OBJECT},
  };
  std::set<int> codes;
  for (auto [status, code] : expected) {
    EXPECT_EQ(codeFor(status), code) << hal::toString(status);
    EXPECT_TRUE(codes.insert(code).second) << "two errors with one code";
    EXPECT_EQ(fromHal({status, "why"}).message, "why");
  }
  EXPECT_EQ(codeFor(static_cast<hal::ErrorStatus>(9)), ANEURALNETWORKS_OP_FAILED) << "of a newer driver";
}

} // namespace
} // namespace avocet::nnapi
