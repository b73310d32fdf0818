//===- Trace.h - Spans in time, as a Chrome trace ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans of host work and of device work, collected in memory and written as JSON for Perfetto and chrome://tracing.
// Host spans carry wall-clock time, device spans carry simulated time; they appear as two processes of the trace. All
// functions are safe from any thread. While no trace is active a TraceSpan costs one atomic load.
//
// Perfetto and chrome://tracing show spans of one track as a stack: a span that begins within another must end within
// it, or it is dropped. Spans that overlap otherwise need a second track, here called a lane.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_TRACE_H
#define AVOCET_BASE_TRACE_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avocet {

/// The clock of a track. The number is the "pid" of the trace.
enum class TraceClock : uint32_t { Host = 1, Device = 2 };

/// One finished span. Times in microseconds since the trace began (host) or since the job began (device).
struct TraceEvent {
  TraceClock clock = TraceClock::Host;
  std::string track; ///< thread or engine; one row of the display
  std::string name;
  double start = 0;
  double duration = 0;
  std::vector<std::pair<std::string, std::string>> arguments; ///< shown when the span is selected
};

/// A list of events: all of them, or the latest `limit`.
class Trace {
public:
  explicit Trace(size_t limit = SIZE_MAX);

  void add(TraceEvent event);
  size_t size() const;

  /// Microseconds since this object was made.
  double now() const;

  /// The whole trace as a JSON object {"traceEvents": [...], "displayTimeUnit": "ns"}.
  std::string toJson() const;

  /// Makes this the trace that TraceSpan writes to; null: none. The caller keeps the trace alive until it is replaced
  /// and all spans that were open then are closed.
  static void activate(Trace *trace);
  static Trace *active();

private:
  mutable std::mutex mutex_;
  const size_t limit_;
  std::deque<TraceEvent> events_;
  int64_t origin_; ///< steady clock, nanoseconds
};

/// The time from construction to destruction, in the active trace.
class TraceSpan {
public:
  explicit TraceSpan(std::string_view name) : trace_(Trace::active()) {
    if (trace_ != nullptr)
      begin(name);
  }
  ~TraceSpan() {
    if (trace_ != nullptr)
      end();
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;

private:
  void begin(std::string_view name);
  void end();

  Trace *trace_;
  std::string name_;
  double start_ = 0;
};

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

#endif // AVOCET_BASE_TRACE_H
