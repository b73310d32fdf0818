//===- FaultReasonTest.cpp - Which rule a faulted command breaks ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultReason.h"

#include "SmallModel.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <gtest/gtest.h>

namespace avocet::session {
namespace {

using namespace firmware;

constexpr Engine kMac{EngineKind::Mac, 0};

/// The reason of a fault of the first command of an engine, which runs only that.
std::string reasonOf(FaultCode fault, const Engine &engine, const CommandBody &body, uint64_t address = 0) {
  cache::ModelDescription description = cache::smallModel();
  const std::vector<Command> commands = {{0, body}, {kNoLayer, EndCommand{}}};
  description.streams = {{engine, encodeStream(commands)}};
  const auto model = cache::ModelCache::adopt(cache::writeModelCache(description).value(), "small").value();
  runtime::JobOutcome outcome;
  outcome.fault = fault;
  outcome.faultEngineKind = static_cast<uint32_t>(engine.kind);
  outcome.faultEngineIndex = engine.index;
  outcome.faultCommand = 0;
  outcome.faultAddress = address;
  return faultReason(*model, *Target::load("e256").value(), outcome);
}

TEST(FaultReasonTest, RefusedCommandNamesRuleValueAndLimit) {
  ConvCommand conv = cache::smallConv();
  conv.block = {4, 112, 96};
  EXPECT_EQ(reasonOf(FaultCode::UnsupportedCommand, kMac, conv), "conv: block.width is 112, must be 1 to 64");
}

TEST(FaultReasonTest, SemaphoreNamesNumberAndCount) {
  EXPECT_EQ(reasonOf(FaultCode::BadSemaphore, kMac, SignalCommand{5000}, 5000),
            "signal: semaphore is 5000, must be below " +
                std::to_string(Target::load("e256").value()->command().semaphores));
}

TEST(FaultReasonTest, OtherFaultsHaveNoRule) { EXPECT_EQ(reasonOf(FaultCode::Watchdog, kMac, cache::smallConv()), ""); }

} // namespace
} // namespace avocet::session
