//===- FaultPlan.cpp - What a device does wrong -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultPlan.h"

#include "avocet/base/ParseNumber.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace avocet::sim {

namespace {

struct Kind {
  std::string_view name;
  uint64_t FaultPlan::*value;
  uint64_t most;
  std::string_view help;
};

constexpr uint64_t kAny = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMostMilliseconds = 60'000;

constexpr std::array kKinds = {
    Kind{"lose-interrupts", &FaultPlan::lostInterrupts, kAny, "interrupts that are not raised"},
    Kind{"late", &FaultPlan::lateMilliseconds, kMostMilliseconds, "milliseconds before each interrupt"},
    Kind{"lose-messages", &FaultPlan::lostMessages, kAny, "messages that are not answered"},
    Kind{"wrong-sequences", &FaultPlan::wrongSequences, kAny, "answers with another sequence number"},
    Kind{"wrong-codes", &FaultPlan::wrongCodes, kAny, "answers with an unknown code"},
    Kind{"wrong-lengths", &FaultPlan::wrongLengths, kAny, "answers of another length"},
    Kind{"garbage-records", &FaultPlan::garbageRecords, kAny, "completion records of random bytes"},
    Kind{"lose-bells", &FaultPlan::lostBells, kAny, "bells of rings that are not heard"},
    Kind{"silent", &FaultPlan::isSilent, 1, "1: no write is taken, no interrupt raised"},
    Kind{"exit", &FaultPlan::endsProcess, 1, "1: the process ends at the next write"},
};

Status addRule(FaultPlan &plan, std::string_view rule) {
  const size_t sign = rule.find('=');
  const std::string_view name = rule.substr(0, sign);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind &known) { return known.name == name; });
  if (kind == kKinds.end() || sign == std::string_view::npos)
    return invalidArgument(fmt::format("no fault '{}'; give NAME=NUMBER with one of:\n{}", rule, FaultPlan::help()));
  AVOCET_ASSIGN_OR_RETURN(plan.*kind->value, parseUnsigned(rule.substr(sign + 1), 0, kind->most));
  return Status::ok();
}

} // namespace

Result<FaultPlan> FaultPlan::parse(std::string_view text) {
  FaultPlan plan;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    AVOCET_RETURN_IF_ERROR(addRule(plan, text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return plan;
}

std::string FaultPlan::help() {
  std::string text;
  for (const Kind &kind : kKinds)
    text += fmt::format("  {:<16} {}\n", kind.name, kind.help);
  return text;
}

} // namespace avocet::sim
