//===- ServedPower.cpp - Energy of runs on a device of a service ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedPower.h"

#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/ipc/Totals.h"

#include <algorithm>

namespace avocet::tool {
namespace {

/// The only level that executions had in between.
std::optional<uint32_t> levelBetween(const hal::DevicePower &before, const hal::DevicePower &after) {
  std::optional<uint32_t> level;
  for (uint32_t i = 0; i < after.clockLevels.size() && i < before.clockLevels.size(); ++i) {
    if (after.clockLevels[i].nanoseconds == before.clockLevels[i].nanoseconds)
      continue;
    if (level)
      return std::nullopt;
    level = i;
  }
  return level;
}

} // namespace

ServedPower ServedPower::read(const session::ServedOptions &options) {
  ServedPower read;
  const hal::Result<hal::FoundDevice> found = hal::findDevice(options.socket, options.device);
  if (!found)
    return read;
  hal::Result<hal::ServiceTotals> totals = hal::readTotals(found->socket);
  if (!totals)
    return read;
  const auto entry = std::ranges::find(totals->devices, found->device, &hal::DeviceTotals::device);
  if (entry != totals->devices.end() && !entry->power.clockLevel.empty())
    read.power_ = entry->power;
  return read;
}

std::optional<PowerFigures> ServedPower::since(const ServedPower &before, uint32_t runs,
                                               const firmware::Target &target) const {
  if (!power_ || !before.power_ || power_->executions - before.power_->executions != runs)
    return std::nullopt;
  const std::optional<uint32_t> level = levelBetween(*before.power_, *power_);
  if (!level || *level >= target.power().levels.size())
    return std::nullopt;
  auto average = [&](uint64_t hal::DevicePower::*sum) {
    return static_cast<double>((*power_).*sum - (*before.power_).*sum) / runs;
  };
  return PowerFigures{power_->clockLevels[*level].state, levelHz(target, *level),
                      average(&hal::DevicePower::dynamicPicojoules), average(&hal::DevicePower::staticPicojoules)};
}

} // namespace avocet::tool
