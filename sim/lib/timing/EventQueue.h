//===- EventQueue.h - Pending events in order of time -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pending events in order of time; events of one time in the order in which they were pushed, so that a run is the same
// on every host.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_TIMING_EVENTQUEUE_H
#define AVOCET_SIM_LIB_TIMING_EVENTQUEUE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace avocet::sim {

enum class EventKind : uint32_t {
  Step,     ///< the engine continues its stream or command
  Complete, ///< the oldest command in flight is done
};

struct Event {
  uint64_t time;
  uint64_t order;
  uint32_t engine;
  EventKind kind;
};

class EventQueue {
public:
  void push(uint64_t time, uint32_t engine, EventKind kind) {
    heap_.push_back({time, nextOrder_++, engine, kind});
    std::push_heap(heap_.begin(), heap_.end(), isLater);
  }

  bool empty() const { return heap_.empty(); }

  /// The earliest event. Requires !empty().
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), isLater);
    Event event = heap_.back();
    heap_.pop_back();
    return event;
  }

private:
  static bool isLater(const Event &a, const Event &b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }

  std::vector<Event> heap_;
  uint64_t nextOrder_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_TIMING_EVENTQUEUE_H
