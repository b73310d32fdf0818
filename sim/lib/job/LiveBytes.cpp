//===- LiveBytes.cpp - SRAM bytes that a stopped job still needs *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/LiveBytes.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

namespace {

const YieldCommand *yieldAt(const StreamPosition &stream, uint32_t command) {
  return std::get_if<YieldCommand>(&stream.program->commands()[command].command.body);
}

/// Number of the last point that the stream has passed.
uint32_t lastPassed(const StreamPosition &stream) {
  for (uint32_t command = stream.position; command-- != 0;)
    if (const YieldCommand *yield = yieldAt(stream, command))
      return yield->point;
  return 0;
}

uint32_t lowestPassed(std::span<const StreamPosition> streams) {
  uint32_t lowest = UINT32_MAX;
  for (const StreamPosition &stream : streams)
    if (stream.position < stream.program->commands().size())
      lowest = std::min(lowest, lastPassed(stream));
  return lowest;
}

void addWritten(const PreparedCommand &command, ByteSet &live) {
  for (const ByteRange &range : command.ranges)
    if (range.region == kSramRegion && range.write)
      live.add(range.begin, range.end);
}

void addDeclared(const YieldCommand &yield, uint64_t sramBytes, ByteSet &live) {
  for (const SramRange &range : yield.live)
    live.add(range.begin.offset, std::min(uint64_t{range.begin.offset} + range.bytes, sramBytes));
}

} // namespace

ByteSet liveBytes(std::span<const StreamPosition> streams, uint64_t sramBytes) {
  ByteSet live;
  const uint32_t point = lowestPassed(streams);
  for (const StreamPosition &stream : streams)
    for (uint32_t command = stream.position; command-- != 0;) {
      const YieldCommand *yield = yieldAt(stream, command);
      if (yield && yield->point == point)
        addDeclared(*yield, sramBytes, live);
      if (yield && yield->point <= point)
        break;
      addWritten(stream.program->commands()[command], live);
    }
  return live;
}

} // namespace avocet::sim
