//===- YieldPoints.cpp - Where a job may be stopped -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Yield/YieldPoints.h"

#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>
#include <map>

namespace avocet::compiler {

using namespace firmware;

uint64_t yieldBound(const Target &target) { return std::max<uint64_t>(1, target.clockHz() / 25'000); }

std::vector<uint32_t> choosePoints(std::span<const LinearCommand> list, std::span<const uint64_t> cycles,
                                   uint64_t bound) {
  std::vector<uint32_t> points;
  std::map<Engine, uint64_t> worked; ///< cycles since the last point
  for (uint32_t index = 0; index < list.size(); ++index) {
    uint64_t *since = &worked[list[index].engine];
    if (*since > 0 && *since + cycles[index] > bound) {
      points.push_back(index);
      for (auto &[engine, work] : worked)
        work = 0;
    }
    *since += cycles[index];
  }
  return points;
}

namespace {

/// Rewrites the streams one after the other.
class YieldWriter {
public:
  explicit YieldWriter(std::span<const YieldPoint> points) : points_(points), isLiveOut_(points.size(), false) {}

  std::vector<StreamCommand> rewrite(std::vector<StreamCommand> commands) {
    std::vector<StreamCommand> result;
    result.reserve(commands.size() + 8);
    size_t passed = 0; // points before the stream's next command
    for (StreamCommand &command : commands) {
      const size_t first = passed;
      while (passed < points_.size() && points_[passed].before <= command.source)
        ++passed;
      if (passed != first)
        result.push_back(yieldAt(passed - 1, command.source));
      result.push_back(std::move(command));
    }
    return result;
  }

private:
  StreamCommand yieldAt(size_t index, uint32_t source) {
    YieldCommand yield;
    yield.point = static_cast<uint32_t>(index) + 1;
    if (!isLiveOut_[index])
      yield.live = points_[index].live;
    isLiveOut_[index] = true;
    return {{kNoLayer, std::move(yield)}, source};
  }

  std::span<const YieldPoint> points_;
  std::vector<bool> isLiveOut_; ///< by point: whether a stream carries its ranges
};

} // namespace

void insertYields(SyncedStreams &section, std::span<const YieldPoint> points) {
  if (points.empty())
    return;
  YieldWriter writer(points);
  for (Stream &stream : section.streams)
    if (!isCancelled())
      stream.commands = writer.rewrite(std::move(stream.commands));
}

} // namespace avocet::compiler
