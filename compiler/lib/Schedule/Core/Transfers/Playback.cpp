//===- Playback.cpp - Time of an ordered sequence ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Playback.h"

#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <array>
#include <limits>

namespace avocet::compiler::schedule {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Playback {
public:
  Playback(const firmware::Target &target, const Sequence &sequence, const std::vector<uint32_t> &steps,
           const std::vector<PlayedTransfer> &transfers)
      : target_(target), sequence_(sequence), steps_(steps), transfers_(transfers), open_(steps.size() + 1, 0),
        dataAt_(steps.size() + 1, 0), doneAt_(transfers.size(), kNever), finishedAt_(steps.size(), kNever),
        queues_(target.dma().channels) {
    for (uint32_t i = 0; i < transfers.size(); ++i) {
      queues_[transfers[i].channel].waiting.push_back(i);
      ++open_[std::min<size_t>(transfers[i].need, steps.size())];
    }
    for (uint32_t i = 0; i < steps.size(); ++i)
      engines_[stepOf(i).isDsp()].tiles.push_back(i);
  }

  PlayedTimes run() {
    for (;;) {
      startTransfers();
      for (Engine &engine : engines_)
        startTile(engine);
      const double next = nextEvent();
      if (next == kNever)
        return times();
      advance(next);
    }
  }

private:
  struct Channel {
    std::deque<uint32_t> waiting;
    uint32_t moving = kNone;
    double left = 0; ///< cycles at its own rate
  };
  struct Engine {
    std::vector<uint32_t> tiles;
    size_t next = 0; ///< of `tiles`: computes, or will be the next to do so
    bool isComputing = false;
    double tileStart = 0, free = 0; ///< of the tile before the next one: when it began, and when it had computed
    double left = 0;                ///< cycles of the tile that computes
  };

  PlayedTimes times() const {
    const double end = std::max(now_, end_);
    PlayedTimes times{uint64_t(end), {}};
    times.tileEnds.reserve(finishedAt_.size());
    for (double finished : finishedAt_) // a cancelled order may lack transfers, whose tiles never end
      times.tileEnds.push_back(uint64_t(std::min(finished, end)));
    return times;
  }

  const Step &stepOf(uint32_t tile) const { return sequence_.steps[steps_[tile]]; }
  const Step &nextStep(const Engine &engine) const { return stepOf(engine.tiles[engine.next]); }

  static double drainOf(const StepTime &time) { return double(time.cycles - time.fill - time.occupied()); }

  /// A rate as a share of the off-chip port.
  double shareOf(const firmware::Rate &rate) const {
    const firmware::Rate &port = target_.dram().bandwidth;
    return double(rate.count * port.cycles) / double(rate.cycles * port.count);
  }

  double semaphore() const { return double(target_.command().semaphoreCycles); }

  /// When a transfer can start, by what has happened so far.
  double startOf(const PlayedTransfer &transfer) const {
    if (transfer.ready > allFinishedAt_.size())
      return kNever;
    double start = transfer.ready ? allFinishedAt_[transfer.ready - 1] + semaphore() : 0;
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

  /// When the engine's next tile can begin to compute.
  double startOfTile(const Engine &engine) const {
    if (engine.next == engine.tiles.size() || open_[engine.tiles[engine.next]])
      return kNever;
    const Step &step = nextStep(engine);
    const double fill = double(step.time.fill);
    double start = dataAt_[engine.tiles[engine.next]];
    if (step.after != kNone)
      start = std::max(start, finishedAt_[step.after] + semaphore());
    if (engine.next == 0)
      return start + fill;
    const StepTime &before = stepOf(engine.tiles[engine.next - 1]).time;
    const double computed = engine.free - engine.tileStart;
    // The engine has buffers for two blocks: the next tile fills while the last block computes.
    start = std::max(start, engine.free - std::min(double(before.last), computed));
    if (step.waits > 0)
      start = std::max(start, engine.tileStart + computed * step.waits + drainOf(before));
    return std::max(engine.free, start + fill);
  }

  void startTile(Engine &engine) {
    if (engine.isComputing || startOfTile(engine) > now_)
      return;
    engine.isComputing = true;
    engine.tileStart = now_;
    engine.left = double(nextStep(engine).time.occupied());
  }

  /// Channels that load (0) and that store (1).
  std::array<uint32_t, 2> numMoving() const {
    std::array<uint32_t, 2> moving{};
    for (const Channel &channel : queues_)
      if (channel.moving != kNone)
        ++moving[transfers_[channel.moving].isStore];
    return moving;
  }

  /// Whether several channels load.
  bool isSpread() const {
    return std::ranges::any_of(transfers_, [](const PlayedTransfer &t) { return !t.isStore && t.channel != 0; });
  }

  bool isMoving() const { return numMoving() != std::array<uint32_t, 2>{}; }

  /// Shares of their own rate at which channels load (0) and store (1). Channels that cannot use an even share of the
  /// port leave the rest to the others.
  std::array<double, 2> speedsOfChannels() const {
    const std::array<uint32_t, 2> moving = numMoving();
    std::array<double, 2> speeds{1, 1};
    if (moving[0] * limits_[0] + moving[1] * limits_[1] <= 1)
      return speeds;
    const double even = 1.0 / (moving[0] + moving[1]);
    for (size_t kind : {0, 1})
      if (limits_[kind] > even && moving[kind]) {
        const double others = moving[!kind] * std::min(limits_[!kind], even);
        speeds[kind] = (1 - others) / moving[kind] / limits_[kind];
      }
    return speeds;
  }

  /// Bytes that all channels move.
  double bytesPerCycle() const {
    const std::array<uint32_t, 2> moving = numMoving();
    const std::array<double, 2> speeds = speedsOfChannels();
    const double share = moving[0] * limits_[0] * speeds[0] + moving[1] * limits_[1] * speeds[1];
    return share * double(target_.dram().bandwidth.count) / double(target_.dram().bandwidth.cycles);
  }

  /// Bytes that a tile moves through the SRAM port in each cycle in which it computes.
  static double portRate(const StepTime &time, uint64_t except) {
    return double(time.portBytes - except) / double(time.occupied());
  }

  /// Share of its full speed at which a tile computes. Its first load and last store use the port while neighbors
  /// compute, except that a tile which waits for the whole tile before it fills alone. Bytes in between compete with
  /// those of the other engine.
  double speed(const Engine &engine) const {
    const Step &step = nextStep(engine);
    const StepTime &time = step.time;
    if (time.occupied() == 0)
      return 1;
    double port = double(target_.sram().portBytesPerCycle), slowdown = 1;
    if (isMoving()) {
      port = isSpread_ ? std::max(port / 2, port - bytesPerCycle()) : double(shared_.count) / double(shared_.cycles);
      slowdown = std::max(slowdown, double(time.sharedBusy) / double(time.occupied()));
    }
    slowdown = std::max(slowdown, portRate(time, step.waits == 1 ? time.edgeBytes : 0) / port);
    const Engine &other = &engine == &engines_[0] ? engines_[1] : engines_[0];
    if (other.isComputing && nextStep(other).time.occupied() != 0) {
      const StepTime &beside = nextStep(other).time;
      slowdown = std::max(slowdown, (portRate(time, time.edgeBytes) + portRate(beside, beside.edgeBytes)) / port);
    }
    return 1 / slowdown;
  }

  double nextEvent() const {
    double next = kNever;
    const std::array<double, 2> speeds = speedsOfChannels();
    for (const Channel &channel : queues_)
      if (channel.moving != kNone)
        next = std::min(next, now_ + channel.left / speeds[transfers_[channel.moving].isStore]);
      else if (!channel.waiting.empty())
        next = std::min(next, std::max(now_, startOf(transfers_[channel.waiting.front()])));
    for (const Engine &engine : engines_)
      if (engine.isComputing)
        next = std::min(next, now_ + engine.left / speed(engine));
      else
        next = std::min(next, std::max(now_, startOfTile(engine)));
    return next;
  }

  void advance(double next) {
    const double passed = next - now_;
    const std::array<double, 2> ofChannels = speedsOfChannels();
    const std::array<double, 2> speeds = {engines_[0].isComputing ? speed(engines_[0]) : 0,
                                          engines_[1].isComputing ? speed(engines_[1]) : 0};
    for (size_t i = 0; i < engines_.size(); ++i)
      engines_[i].left -= passed * speeds[i];
    now_ = next;
    for (Channel &channel : queues_)
      if (channel.moving != kNone &&
          (channel.left -= passed * ofChannels[transfers_[channel.moving].isStore]) < kEpsilon)
        finishTransfer(channel);
    for (Engine &engine : engines_)
      if (engine.isComputing && engine.left < kEpsilon)
        finishTile(engine);
  }

  void finishTransfer(Channel &channel) {
    const PlayedTransfer &transfer = transfers_[channel.moving];
    const auto &dram = target_.dram();
    const double done =
        now_ + double(transfer.isStore ? dram.writeLatencyCycles : dram.readLatencyCycles) + semaphore();
    const size_t need = std::min<size_t>(transfer.need, steps_.size());
    doneAt_[channel.moving] = done;
    --open_[need];
    dataAt_[need] = std::max(dataAt_[need], transfer.isStore ? now_ : done);
    end_ = std::max(end_, done);
    channel.moving = kNone;
  }

  void finishTile(Engine &engine) {
    const uint32_t tile = engine.tiles[engine.next];
    finishedAt_[tile] = now_ + drainOf(stepOf(tile).time);
    end_ = std::max(end_, finishedAt_[tile]);
    engine.isComputing = false;
    engine.free = now_;
    ++engine.next;
    while (allFinishedAt_.size() < finishedAt_.size() && finishedAt_[allFinishedAt_.size()] != kNever) {
      const double before = allFinishedAt_.empty() ? 0 : allFinishedAt_.back();
      allFinishedAt_.push_back(std::max(before, finishedAt_[allFinishedAt_.size()]));
    }
  }

  static constexpr double kEpsilon = 1e-6;

  const firmware::Target &target_;
  const std::array<double, 2> limits_ = {shareOf(kernels::channelLoadRate(target_)),
                                         shareOf(kernels::channelStoreRate(target_))};
  const Sequence &sequence_;
  const std::vector<uint32_t> &steps_;
  const std::vector<PlayedTransfer> &transfers_;
  const firmware::Rate shared_ = kernels::sharedPort(target_);
  const bool isSpread_ = isSpread();
  std::vector<uint32_t> open_;        ///< by tile: transfers that it still waits for
  std::vector<double> dataAt_;        ///< by tile: when the last of them was done
  std::vector<double> doneAt_;        ///< by transfer
  std::vector<double> finishedAt_;    ///< by tile: when its results were in SRAM
  std::vector<double> allFinishedAt_; ///< the same of all tiles up to it, as far as they have finished
  std::vector<Channel> queues_;
  std::array<Engine, 2> engines_; ///< array, DSP
  double now_ = 0, end_ = 0;
};

} // namespace

PlayedTimes playTimes(const firmware::Target &target, const Sequence &sequence, const std::vector<uint32_t> &steps,
                      const std::vector<PlayedTransfer> &transfers) {
  return Playback(target, sequence, steps, transfers).run();
}

} // namespace avocet::compiler::schedule
