//===- TraceLanes.h - Tracks without overlaps -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Perfetto and chrome://tracing show spans of one track as a stack: a span that begins within another must end within
// it, or it is dropped. Spans that overlap otherwise need a second track, here called a lane.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_TRACELANES_H
#define AVOCET_BASE_TRACELANES_H

#include <cstdint>
#include <span>
#include <vector>

namespace avocet {

/// Nanoseconds [start, end].
struct TraceInterval {
  int64_t start = 0;
  int64_t end = 0;
};

enum class Nesting {
  Allowed, ///< calls of functions, which contain one another
  Refused, ///< work of an engine, which is not part of other work of the engine
};

/// The lane of each interval, from 0; each gets the first one that has room. The intervals are in order: by start, and
/// of those with the same start the longest first.
std::vector<uint32_t> assignLanes(std::span<const TraceInterval> intervals, Nesting nesting);

} // namespace avocet

#endif // AVOCET_BASE_TRACELANES_H
