//===- VerifyYields.cpp - The rules of yields -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyYields.h"

#include <fmt/format.h>

namespace avocet::cache {

using firmware::SramRange;
using firmware::YieldCommand;

static Status verifyLive(const YieldCommand &yield, uint64_t sramBytes) {
  uint64_t end = 0;
  for (size_t i = 0; i < yield.live.size(); ++i) {
    const SramRange &range = yield.live[i];
    if (range.bytes == 0)
      return dataLoss(fmt::format("live[{}] of point {} is empty", i, yield.point));
    if (range.begin.offset < end)
      return dataLoss(
          fmt::format("live[{}] of point {} begins at {}, must be at least {}, the end of the previous range", i,
                      yield.point, range.begin.offset, end));
    end = uint64_t{range.begin.offset} + range.bytes;
    if (end > sramBytes)
      return dataLoss(fmt::format("live[{}] of point {} ends at {}, must be at most {}, the on-chip memory in use", i,
                                  yield.point, end, sramBytes));
  }
  return Status::ok();
}

Status YieldRules::verify(const YieldCommand &yield) {
  if (yield.point <= last_)
    return dataLoss(fmt::format("point is {}, must be above {}, the point of the previous yield", yield.point, last_));
  last_ = yield.point;
  points_.insert({section_, yield.point});
  return verifyLive(yield, sramBytes_);
}

Status YieldRules::verifyNumbers() const {
  uint32_t section = 0, expected = 1;
  for (const auto &[where, point] : points_) {
    if (where != section)
      expected = 1;
    section = where;
    if (point != expected)
      return dataLoss(
          fmt::format("streams: section {} has yield point {}, but no stream has point {}", section, point, expected));
    ++expected;
  }
  return Status::ok();
}

} // namespace avocet::cache
