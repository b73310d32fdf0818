//===- Playback.cpp - Time of an ordered sequence ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Playback.h"

#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <limits>

namespace avocet::compiler::schedule {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Playback {
public:
  Playback(const firmware::Target &target, const Sequence &sequence, const std::vector<uint32_t> &steps,
           const std::vector<PlayedTransfer> &transfers)
      : target_(target), sequence_(sequence), steps_(steps), transfers_(transfers), open_(steps.size() + 1, 0),
        dataAt_(steps.size() + 1, 0), doneAt_(transfers.size(), kNever), queues_(target.dma().channels) {
    for (uint32_t i = 0; i < transfers.size(); ++i) {
      queues_[transfers[i].channel].waiting.push_back(i);
      ++open_[std::min<size_t>(transfers[i].need, steps.size())];
    }
  }

  uint64_t run() {
    for (;;) {
      startTransfers();
      startTile();
      const double next = nextEvent();
      if (next == kNever)
        return uint64_t(std::max(now_, end_));
      advance(next);
    }
  }

private:
  struct Channel {
    std::deque<uint32_t> waiting;
    uint32_t moving = kNone;
    double left = 0; ///< cycles of the whole port
  };

  const StepTime &timeOf(uint32_t tile) const { return sequence_.steps[steps_[tile]].time; }

  static double drainOf(const StepTime &time) { return double(time.cycles - time.fill - time.occupied()); }

  /// When a transfer can start, by what has happened so far.
  double startOf(const PlayedTransfer &transfer) const {
    if (transfer.ready > finished_.size())
      return kNever;
    double start = transfer.ready ? finished_[transfer.ready - 1] + double(target_.command().semaphoreCycles) : 0;
    if (transfer.after != kNone)
      start = std::max(start, doneAt_[transfer.after]);
    return start;
  }

  void startTransfers() {
    for (Channel &channel : queues_)
      if (channel.moving == kNone && !channel.waiting.empty() && startOf(transfers_[channel.waiting.front()]) <= now_) {
        channel.moving = channel.waiting.front();
        channel.waiting.pop_front();
        channel.left = double(transfers_[channel.moving].cycles);
      }
  }

  /// When the next tile can begin to compute.
  double startOfTile() const {
    const uint32_t tile = uint32_t(finished_.size());
    if (tile == steps_.size() || open_[tile])
      return kNever;
    const Step &step = sequence_.steps[steps_[tile]];
    const double fill = double(step.time.fill);
    if (tile == 0)
      return dataAt_[tile] + fill;
    const StepTime &before = timeOf(tile - 1);
    // The engine has buffers for two blocks: the next tile fills while the last block computes.
    double start = std::max(dataAt_[tile], engineFree_ - std::min(double(before.last), engineFree_ - tileStart_));
    if (step.waits > 0)
      start = std::max(start, tileStart_ + (engineFree_ - tileStart_) * step.waits + drainOf(before));
    return std::max(engineFree_, start + fill);
  }

  void startTile() {
    if (isComputing_ || startOfTile() > now_)
      return;
    isComputing_ = true;
    tileStart_ = now_;
    left_ = double(timeOf(uint32_t(finished_.size())).occupied());
  }

  uint32_t numMoving() const {
    return uint32_t(std::count_if(queues_.begin(), queues_.end(), [](const Channel &c) { return c.moving != kNone; }));
  }

  /// Share of its full speed at which the current tile computes. Its first load and last store use the port while
  /// neighbours compute, except that a tile which waits for the whole tile before it fills alone.
  double speed() const {
    const Step &step = sequence_.steps[steps_[finished_.size()]];
    if (step.time.occupied() == 0)
      return 1;
    const double bytes = double(step.time.portBytes - (step.waits == 1 ? step.time.edgeBytes : 0));
    double cycles = std::max(double(step.time.occupied()), bytes / double(target_.sram().portBytesPerCycle));
    if (numMoving())
      cycles = std::max({cycles, double(step.time.sharedBusy), bytes * double(shared_.cycles) / double(shared_.count)});
    return double(step.time.occupied()) / cycles;
  }

  double nextEvent() const {
    double next = kNever;
    const uint32_t moving = numMoving();
    for (const Channel &channel : queues_)
      if (channel.moving != kNone)
        next = std::min(next, now_ + channel.left * moving);
      else if (!channel.waiting.empty())
        next = std::min(next, std::max(now_, startOf(transfers_[channel.waiting.front()])));
    if (isComputing_)
      next = std::min(next, now_ + left_ / speed());
    else
      next = std::min(next, std::max(now_, startOfTile()));
    return next;
  }

  void advance(double next) {
    const double passed = next - now_;
    const uint32_t moving = numMoving();
    if (isComputing_)
      left_ -= passed * speed();
    now_ = next;
    for (Channel &channel : queues_)
      if (channel.moving != kNone && (channel.left -= passed / moving) < kEpsilon)
        finishTransfer(channel);
    if (isComputing_ && left_ < kEpsilon)
      finishTile();
  }

  void finishTransfer(Channel &channel) {
    const PlayedTransfer &transfer = transfers_[channel.moving];
    const auto &dram = target_.dram();
    const double done = now_ + double(transfer.isStore ? dram.writeLatencyCycles : dram.readLatencyCycles) +
                        double(target_.command().semaphoreCycles);
    const size_t need = std::min<size_t>(transfer.need, steps_.size());
    doneAt_[channel.moving] = done;
    --open_[need];
    dataAt_[need] = std::max(dataAt_[need], transfer.isStore ? now_ : done);
    end_ = std::max(end_, done);
    channel.moving = kNone;
  }

  void finishTile() {
    isComputing_ = false;
    engineFree_ = now_;
    finished_.push_back(now_ + drainOf(timeOf(uint32_t(finished_.size()))));
    end_ = std::max(end_, finished_.back());
  }

  static constexpr double kEpsilon = 1e-6;

  const firmware::Target &target_;
  const firmware::Rate shared_ = kernels::sharedPort(target_);
  const Sequence &sequence_;
  const std::vector<uint32_t> &steps_;
  const std::vector<PlayedTransfer> &transfers_;
  std::vector<uint32_t> open_;   ///< by tile: transfers that it still waits for
  std::vector<double> dataAt_;   ///< by tile: when the last of them was done
  std::vector<double> doneAt_;   ///< by transfer
  std::vector<double> finished_; ///< by tile: when its results were in SRAM
  std::vector<Channel> queues_;
  double now_ = 0, end_ = 0, tileStart_ = 0, engineFree_ = 0, left_ = 0;
  bool isComputing_ = false;
};

} // namespace

uint64_t playedCycles(const firmware::Target &target, const Sequence &sequence, const std::vector<uint32_t> &steps,
                      const std::vector<PlayedTransfer> &transfers) {
  return Playback(target, sequence, steps, transfers).run();
}

} // namespace avocet::compiler::schedule
