//===- ModelGapsTest.cpp - How long engines work between yields -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles every network for every shipped target and sums the cycles of each engine between two of its yields. Prints
// the longest command and the longest gap in microseconds of the target's clock.
//
//===----------------------------------------------------------------------===//

#include "CompiledModels.h"

#include "Yield/CommandCosts.h"
#include "Yield/YieldPoints.h"
#include "avocet/firmware_iface/Reflection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace avocet::compiler {
namespace {

/// Figures of one engine; times in cycles.
struct Longest {
  uint64_t command = 0, gap = 0, total = 0;
  uint32_t yields = 0, commands = 0;
};

void measure(const firmware::Target &target, const Stream &stream, Longest &longest) {
  uint64_t gap = 0;
  for (const StreamCommand &entry : stream.commands) {
    const firmware::CommandBody &body = entry.command.body;
    const bool isYield = std::holds_alternative<firmware::YieldCommand>(body);
    const uint64_t cycles = engineCycles(target, body);
    gap = isYield ? 0 : gap + cycles;
    longest.gap = std::max(longest.gap, gap);
    longest.command = std::max(longest.command, cycles);
    longest.total += cycles;
    longest.yields += isYield;
    ++longest.commands;
  }
}

class ModelGaps : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ModelGaps, GapsBetweenYieldsAreBounded) {
  const auto &[name, targetName] = GetParam();
  auto target = firmware::Target::load(targetName);
  ASSERT_TRUE(target.isOk()) << target.status().toString();
  auto model = compileModel(name, targetName);
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  Longest engines[3];
  for (const std::vector<Stream> &section : model->sections)
    for (const Stream &stream : section)
      measure(**target, stream, engines[uint32_t(stream.engine.kind)]);
  const double us = 1e6 / double((*target)->clockHz());
  std::printf("%-28s %-6s", name.c_str(), targetName.c_str());
  for (const Longest &engine : engines)
    std::printf("  command %6.1f gap %8.1f us, %4u yields in %5u", double(engine.command) * us, double(engine.gap) * us,
                engine.yields, engine.commands);
  std::printf("\n");
  // Commands that cannot be split, such as the softmax of a long row, may exceed the bound.
  for (const Longest &engine : engines)
    EXPECT_LE(engine.gap, 3 * yieldBound(**target) / 2);
}

INSTANTIATE_TEST_SUITE_P(Models, ModelGaps,
                         testing::Combine(testing::ValuesIn(modelNames()),
                                          testing::Values("e256", "e256s", "m512", "p4096")),
                         [](const auto &info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

} // namespace
} // namespace avocet::compiler
