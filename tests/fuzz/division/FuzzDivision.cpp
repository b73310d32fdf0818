//===- FuzzDivision.cpp - partition.json of divided networks ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DivisionPlan.h"

#include <algorithm>
#include <cstdlib>

namespace {

/// Steps run in their order, so each reads values that the inputs, constants and earlier steps give.
void checkOrder(const avocet::network::DivisionPlan &plan) {
  std::vector<bool> isGiven(plan.values.size());
  const auto give = [&isGiven](size_t value) { isGiven.at(value) = true; };
  const auto require = [&isGiven](size_t value) {
    if (!isGiven.at(value))
      std::abort();
  };
  for (size_t value = 0; value < plan.values.size(); ++value)
    if (!plan.values[value].constant.empty())
      give(value);
  std::ranges::for_each(plan.inputs, give);
  for (const avocet::network::PlannedStep &step : plan.steps) {
    std::ranges::for_each(step.inputs, require);
    std::ranges::for_each(step.outputs, give);
  }
  std::ranges::for_each(plan.outputs, require);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (const auto plan = avocet::network::parseDivisionPlan(std::span(data, size))) {
    checkOrder(*plan);
    if (plan->results.size() != plan->outputs.size())
      std::abort();
  }
  return 0;
}
