//===- SemaphoreOrder.cpp - What waits wait for -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/SemaphoreOrder.h"

#include <algorithm>

namespace avocet::analysis {

/// Reads the streams one after the other, then connects their waits with their signals.
class SemaphoreOrder::Reader {
public:
  Reader(SemaphoreOrder &order, const CommandStreams &streams, const CommandTimes *times)
      : order_(order), streams_(streams), times_(times) {}

  void read() {
    for (size_t stream = 0; stream < streams_.numStreams(); ++stream)
      readStream(stream);
    for (auto &[semaphore, signals] : given_)
      std::ranges::sort(signals);
    for (auto &[place, wait] : order_.waits_)
      connect(place, wait);
  }

private:
  using Semaphore = std::pair<uint32_t, uint32_t>; ///< section and number
  using Given = std::pair<uint64_t, CommandPlace>; ///< the cycle in which a signal is given (0 without times)

  void readStream(size_t stream) {
    last_.reset();
    cycle_ = lastEnd_ = 0;
    open_.clear();
    for (uint32_t i = 0; i < streams_.commands(stream).size(); ++i)
      readCommand({stream, i});
  }

  void readCommand(const CommandPlace &place) {
    const firmware::Command &command = streams_.command(place);
    const auto range = times_ ? times_->of(place) : std::nullopt;
    cycle_ = std::max(cycle_, range ? range->end : 0);
    if (const auto *signal = std::get_if<firmware::SignalCommand>(&command.body)) {
      order_.signals_[place].work = last_;
      given_[{streams_.section(place.stream), signal->semaphore}].emplace_back(cycle_, place);
    } else if (std::holds_alternative<firmware::WaitCommand>(command.body)) {
      open_.push_back(&order_.waits_[place]);
    } else if (isWork(command)) {
      readWork(place, range ? range->end : lastEnd_);
    }
  }

  void readWork(const CommandPlace &place, uint64_t end) {
    for (Wait *wait : open_)
      wait->work = place;
    open_.clear();
    if (end >= lastEnd_) {
      last_ = place;
      lastEnd_ = end;
    }
  }

  void connect(const CommandPlace &place, Wait &wait) {
    const auto &command = std::get<firmware::WaitCommand>(streams_.command(place).body);
    const auto signals = given_.find({streams_.section(place.stream), command.semaphore});
    if (signals == given_.end() || command.value == 0 || command.value > signals->second.size())
      return;
    wait.signal = signals->second[command.value - 1].second;
    order_.signals_[*wait.signal].waits.push_back(place);
  }

  SemaphoreOrder &order_;
  const CommandStreams &streams_;
  const CommandTimes *times_;
  std::map<Semaphore, std::vector<Given>> given_;

  // Of the stream that is read:
  std::optional<CommandPlace> last_; ///< the work that ends last
  uint64_t lastEnd_ = 0, cycle_ = 0; ///< its end; the end of all commands
  std::vector<Wait *> open_;         ///< waits without work after them
};

SemaphoreOrder::SemaphoreOrder(const CommandStreams &streams, const CommandTimes *times) {
  Reader(*this, streams, times).read();
}

std::optional<CommandPlace> SemaphoreOrder::signalOf(const CommandPlace &wait) const {
  const auto found = waits_.find(wait);
  return found == waits_.end() ? std::nullopt : found->second.signal;
}

std::vector<CommandPlace> SemaphoreOrder::waitsOf(const CommandPlace &signal) const {
  const auto found = signals_.find(signal);
  return found == signals_.end() ? std::vector<CommandPlace>() : found->second.waits;
}

std::optional<CommandPlace> SemaphoreOrder::workBefore(const CommandPlace &signal) const {
  const auto found = signals_.find(signal);
  return found == signals_.end() ? std::nullopt : found->second.work;
}

std::optional<CommandPlace> SemaphoreOrder::workAfter(const CommandPlace &wait) const {
  const auto found = waits_.find(wait);
  return found == waits_.end() ? std::nullopt : found->second.work;
}

} // namespace avocet::analysis
