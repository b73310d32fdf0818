//===- Transfers.cpp - When and where data moves ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfers.h"

#include "avocet/compiler/Support/Cancel.h"

#include "../Memory/SpaceMap.h"
#include "Schedule/Core/Lowering.h"
#include "Schedule/Core/Memory/Allocation.h"
#include "TransferScheduler.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// The lowered sequence as compute steps with transfers between them.
class Ordering {
public:
  Ordering(const Problem &problem, const Sequence &lowered, const TransferOptions &options)
      : problem_(problem), lowered_(lowered), options_(options), lifetimes_(lowered.buffers.size()) {}

  std::optional<OrderedSequence> run() {
    if (isCancelled())
      return std::nullopt;
    collect();
    findBounds();
    if (isCancelled() || !placeBuffers() || isCancelled())
      return std::nullopt;
    OrderedSequence result;
    result.sequence.buffers = lowered_.buffers;
    for (size_t i = 0; i < addresses_.size(); ++i)
      result.sequence.buffers[i].address = addresses_[i];
    TransferScheduler scheduler(*problem_.target, lowered_, compute_, transfers_, options_.isSpread);
    PlayedTimes times = scheduler.run(result.sequence.steps);
    result.cycles = times.cycles;
    result.tileEnds = std::move(times.tileEnds);
    return isCancelled() ? std::nullopt : std::optional(std::move(result));
  }

private:
  bool isSram(uint32_t buffer) const { return lowered_.buffers[buffer].space == BufferSpace::Sram; }

  static TransferKind kindOf(const Sequence &sequence, const Step &step) {
    const auto &dma = std::get<DmaCommand>(step.command);
    if (dma.kind == DmaKind::Fill)
      return TransferKind::Load;
    const BufferSpace from = sequence.buffers[step.buffers[0]].space;
    return from == BufferSpace::Constants ? TransferKind::Constants
           : from == BufferSpace::Sram    ? TransferKind::Store
                                          : TransferKind::Load;
  }

  void collect() {
    for (uint32_t i = 0; i < lowered_.steps.size(); ++i) {
      const Step &step = lowered_.steps[i];
      const uint32_t time = uint32_t(compute_.size());
      const bool isStore = step.isDma() && kindOf(lowered_, step) == TransferKind::Store;
      for (uint32_t buffer : step.buffers) {
        lifetimes_[buffer].first = std::min(lifetimes_[buffer].first, time);
        // A store ends before the next compute step that may need the memory (TransferScheduler).
        lifetimes_[buffer].last = std::max(lifetimes_[buffer].last, isStore && time ? time - 1 : time);
      }
      if (step.isDma())
        transfers_.push_back({kindOf(lowered_, step), i, time, time, time});
      else
        compute_.push_back(i);
    }
    end_ = uint32_t(compute_.size());
  }

  /// Loads: not before the last reader of the bytes they overwrite. Stores: not after the next writer of the bytes they
  /// read.
  void findBounds() {
    std::vector<std::vector<uint32_t>> users(lowered_.buffers.size()); ///< compute times by buffer
    for (uint32_t time = 0; time < compute_.size(); ++time)
      for (uint32_t buffer : lowered_.steps[compute_[time]].buffers)
        if (isSram(buffer) && (users[buffer].empty() || users[buffer].back() != time))
          users[buffer].push_back(time);
    for (Transfer &transfer : transfers_) {
      if (isCancelled())
        return;
      const Step &step = lowered_.steps[transfer.step];
      if (transfer.kind == TransferKind::Load)
        boundLoad(transfer, step, users[step.buffers.back()]);
      else if (transfer.kind == TransferKind::Store)
        boundStore(transfer, step, users[step.buffers[0]]);
    }
    for (const Transfer &transfer : transfers_)
      stretch(transfer);
  }

  /// Whether compute step `time` touches bytes [begin, end) of a buffer, reading or writing.
  bool touches(uint32_t time, uint32_t buffer, uint64_t begin, uint64_t end) const {
    return footprints_.touches(lowered_, compute_[time], buffer, begin, end);
  }

  void boundLoad(Transfer &load, const Step &step, const std::vector<uint32_t> &users) const {
    const auto &dma = std::get<DmaCommand>(step.command);
    const uint64_t begin = dma.destination.offset, end = begin + spanOf(dma, dma.destination);
    auto next = std::lower_bound(users.begin(), users.end(), load.time);
    load.ready = 0;
    for (auto user = next; user != users.begin();)
      if (--user; touches(*user, step.buffers.back(), begin, end)) {
        load.ready = *user + 1;
        break;
      }
    for (; next != users.end(); ++next)
      if (touches(*next, step.buffers.back(), begin, end)) {
        load.need = *next;
        break;
      }
  }

  void boundStore(Transfer &store, const Step &step, const std::vector<uint32_t> &users) const {
    const auto &dma = std::get<DmaCommand>(step.command);
    const uint64_t begin = dma.source.offset, end = begin + spanOf(dma, dma.source);
    store.need = std::min(end_, lifetimes_[step.buffers[0]].last + 1 + options_.slackSteps);
    auto next = std::lower_bound(users.begin(), users.end(), store.time);
    for (; next != users.end() && *next < store.need; ++next)
      if (footprints_.writes(lowered_, compute_[*next], step.buffers[0], begin, end)) {
        store.need = *next;
        return;
      }
  }

  /// Extends the life of buffers over the range in which their transfers may run.
  void stretch(const Transfer &transfer) {
    const Step &step = lowered_.steps[transfer.step];
    if (transfer.kind == TransferKind::Store) {
      Lifetime &life = lifetimes_[step.buffers[0]];
      life.last = std::max(life.last, std::max(transfer.need, 1u) - 1);
    } else if (transfer.kind == TransferKind::Load) {
      Lifetime &life = lifetimes_[step.buffers.back()];
      if (transfer.time == life.first && transfer.ready == 0)
        firstLoads_.push_back(&transfer - transfers_.data());
    }
  }

  bool placeBuffers() {
    for (size_t index : firstLoads_) {
      Lifetime &life = lifetimes_[lowered_.steps[transfers_[index].step].buffers.back()];
      life.first = std::min(life.first, transfers_[index].time - std::min(transfers_[index].time, options_.slackSteps));
    }
    for (Transfer &transfer : transfers_)
      if (transfer.kind == TransferKind::Load)
        transfer.ready = std::max(transfer.ready, lifetimes_[lowered_.steps[transfer.step].buffers.back()].first);
    addresses_.assign(lowered_.buffers.size(), kUnplaced);
    return options_.prefetch ? placeAhead() : placePlain();
  }

  bool isConstantsBuffer(uint32_t buffer) const { return constantBuffers_[buffer]; }

  /// Places the buffers of one kind, constants or all others, for their lifetimes. Returns false if they do not fit.
  bool placeAtOnce(SpaceMap &map, bool withConstants) {
    AllocationProblem problem{{}, problem_.target->sram().bytes, kAlignment};
    std::vector<uint32_t> ids;
    for (uint32_t i = 0; i < lowered_.buffers.size(); ++i)
      if (isSram(i) && lifetimes_[i].used() && (withConstants || !isConstantsBuffer(i))) {
        problem.blocks.push_back({lowered_.buffers[i].bytes, lifetimes_[i].first, lifetimes_[i].last, {}});
        ids.push_back(i);
      }
    auto answer = allocate(problem, withConstants ? Preference::Fast : Preference::LowPeaks);
    if (!answer.isOk())
      return false;
    mapEntries_.assign(lowered_.buffers.size(), 0);
    for (size_t i = 0; i < ids.size(); ++i) {
      addresses_[ids[i]] = (*answer)[i];
      mapEntries_[ids[i]] =
          map.add((*answer)[i], problem.blocks[i].bytes, problem.blocks[i].first, problem.blocks[i].last);
    }
    return true;
  }

  bool placeAhead() {
    markConstants();
    return placeResultsFirst() || placeTogether();
  }

  /// Places results and rings first, and then each group of constants. This gives the longest free ranges, but a group
  /// may find no place at all.
  bool placeResultsFirst() {
    const std::vector<Lifetime> lifetimes = lifetimes_;
    const std::vector<Transfer> transfers = transfers_;
    SpaceMap map(problem_.target->sram().bytes, kAlignment);
    if (placeAtOnce(map, false) && placeConstantsEarly(map))
      return true;
    lifetimes_ = lifetimes;
    transfers_ = transfers;
    addresses_.assign(lowered_.buffers.size(), kUnplaced);
    return false;
  }

  /// Places everything for the shortest lifetimes, and then the constants again.
  bool placeTogether() {
    SpaceMap map(problem_.target->sram().bytes, kAlignment);
    return placeAtOnce(map, true) && placeConstantsEarly(map);
  }

  /// Places each group of constants in order of use: from the earliest time at which some range of addresses stays free
  /// until its last use. A group that has a place gives it up for an earlier one.
  bool placeConstantsEarly(SpaceMap &map) {
    std::vector<bool> isDone(lowered_.buffers.size(), false);
    std::vector<Transfer> pieces;
    for (Transfer &transfer : transfers_) {
      if (transfer.kind != TransferKind::Constants)
        continue;
      if (isCancelled())
        return false;
      const uint32_t buffer = lowered_.steps[transfer.step].buffers.back();
      Lifetime &life = lifetimes_[buffer];
      if (isDone[buffer]) { // loaded again for the next stripe
        transfer.ready = readyAgain(transfer, buffer);
        continue;
      }
      isDone[buffer] = true;
      if (addresses_[buffer] != kUnplaced)
        map.remove(mapEntries_[buffer]);
      auto place = map.earliest(lowered_.buffers[buffer].bytes, 0, life.first, life.last);
      if (!place)
        return false;
      life.first = transfer.ready = place->first;
      addresses_[buffer] = place->address;
      loadInPieces(map, transfer, life, pieces);
    }
    transfers_.insert(transfers_.end(), pieces.begin(), pieces.end());
    return true;
  }

  /// The first bytes of a place are often free before the last ones. Divides the transfer of a placed group into
  /// pieces, each of which may start when its own bytes are free; adds those after the first to `pieces`.
  void loadInPieces(SpaceMap &map, Transfer &transfer, Lifetime &life, std::vector<Transfer> &pieces) const {
    const Step &step = lowered_.steps[transfer.step];
    const uint64_t address = addresses_[step.buffers.back()], bytes = lowered_.buffers[step.buffers.back()].bytes;
    const uint64_t run = std::get<DmaCommand>(step.command).runBytes;
    const uint64_t piece = constantsPiece(*problem_.target, run);
    if (run != bytes || run <= piece || life.first == 0) {
      map.add(address, bytes, life.first, life.last);
      return;
    }
    const uint32_t wholeFrom = life.first;
    for (Transfer next = transfer; next.begin < run; next.begin = next.end) {
      const auto freeFrom = [&](uint64_t begin) {
        return map.freeFrom(address + begin, address + std::min(run, begin + piece), wholeFrom);
      };
      next.ready = freeFrom(next.begin);
      for (next.end = next.begin + piece; next.end < run && freeFrom(next.end) == next.ready;)
        next.end += piece;
      next.end = std::min(next.end, run);
      map.add(address + next.begin, next.end - next.begin, next.ready, life.last);
      life.first = std::min(life.first, next.ready);
      if (next.begin == 0)
        transfer = next;
      else
        pieces.push_back(next);
    }
  }

  /// The time after the last compute step before the transfer that reads the buffer.
  uint32_t readyAgain(const Transfer &transfer, uint32_t buffer) const {
    for (uint32_t time = transfer.time; time > 0; --time)
      for (uint32_t used : lowered_.steps[compute_[time - 1]].buffers)
        if (used == buffer)
          return time;
    return 0;
  }

  void markConstants() {
    constantBuffers_.assign(lowered_.buffers.size(), false);
    for (const Transfer &transfer : transfers_)
      if (transfer.kind == TransferKind::Constants)
        constantBuffers_[lowered_.steps[transfer.step].buffers.back()] = true;
  }

  bool placePlain() {
    constantBuffers_.assign(lowered_.buffers.size(), false);
    SpaceMap map(problem_.target->sram().bytes, kAlignment);
    if (!placeAtOnce(map, true))
      return false;
    for (Transfer &transfer : transfers_)
      if (transfer.kind == TransferKind::Constants) {
        const uint32_t buffer = lowered_.steps[transfer.step].buffers.back();
        transfer.ready = transfer.time == lifetimes_[buffer].first ? transfer.time : readyAgain(transfer, buffer);
      }
    return true;
  }

  const Problem &problem_;
  const Sequence &lowered_;
  const TransferOptions options_;
  std::vector<uint32_t> compute_; ///< steps that are not transfers
  std::vector<Transfer> transfers_;
  std::vector<Lifetime> lifetimes_; ///< by buffer, in compute time
  std::vector<size_t> firstLoads_;
  std::vector<bool> constantBuffers_;
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> mapEntries_; ///< by buffer that placeAtOnce() has placed
  mutable StepFootprints footprints_;
  uint32_t end_ = 0;
};

} // namespace

std::optional<OrderedSequence> orderTransfers(const Problem &problem, const Sequence &lowered,
                                              const TransferOptions &options) {
  return Ordering(problem, lowered, options).run();
}

} // namespace avocet::compiler::schedule
