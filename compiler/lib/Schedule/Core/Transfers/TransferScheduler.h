//===- TransferScheduler.h - Order of transfers by a simple clock -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays the compute steps in sequence and the transfers at the rate of the off-chip port, and writes the list of steps
// in order of start time. Constants, loads and stores are three queues; among the transfers that can start, the one
// needed first is issued first. Constants are transferred in pieces, so that a late load waits only for a short
// transfer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_TRANSFERSCHEDULER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_TRANSFERSCHEDULER_H

#include "Playback.h"
#include "Schedule/Core/Sequence.h"
#include "avocet/firmware_iface/Footprint.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace avocet::compiler::schedule {

enum class TransferKind : uint8_t { Constants, Load, Store };

/// A transfer and its bounds in compute time: it may be placed before any of the compute steps `ready` to `need`.
struct Transfer {
  TransferKind kind;
  uint32_t step;  ///< in the lowered sequence
  uint32_t time;  ///< position chosen by the lowering
  uint32_t ready; ///< all compute steps before this one have finished with the memory, and all stores that it needs
  uint32_t need;  ///< the compute step that must not start before it
  /// Constants: bytes [begin, end) of the run, all of it by default.
  uint64_t begin = 0, end = UINT64_MAX;
};

/// Bytes of the equal pieces in which constants of `bytes` bytes are ordered: each takes 512 cycles of the
/// channel or more, so that a load which becomes urgent need not wait longer. A short rest would take a whole burst.
/// Pieces that follow each other become one transfer.
uint64_t constantsPiece(const firmware::Target &target, uint64_t bytes);

/// The bytes of their buffers that steps touch, computed once per step.
class StepFootprints {
public:
  bool touches(const Sequence &sequence, uint32_t step, uint32_t buffer, uint64_t begin, uint64_t end);
  bool writes(const Sequence &sequence, uint32_t step, uint32_t buffer, uint64_t begin, uint64_t end);

private:
  struct Range {
    uint32_t buffer;
    uint64_t begin, end;
    bool write;
  };
  const std::vector<Range> &rangesOf(const Sequence &sequence, uint32_t step);
  std::unordered_map<uint32_t, std::vector<Range>> ranges_;
};

/// Bytes from the first to the last that a copy reads or writes at one of its ends.
inline uint64_t spanOf(const firmware::DmaCommand &dma, const firmware::DmaEnd &end) {
  return uint64_t(dma.count0 - 1) * end.stride0 + uint64_t(dma.count1 - 1) * end.stride1 +
         uint64_t(dma.count2 - 1) * end.stride2 + dma.runBytes;
}

/// The stores to one buffer outside SRAM that may be read back. Stores of one contiguous range are tracked by range,
/// others by buffer.
class StoreTracker {
public:
  /// `step` of the lowered sequence; stores are expected and done in its order.
  void expect(uint64_t begin, uint64_t end, uint32_t step) { open_.emplace(begin, Open{end, step}); }
  void expectSomewhere(uint32_t step) { openSomewhere_.push_back(step); }
  /// `transfer` is the number of the store.
  void done(uint64_t begin, uint64_t end, uint64_t time, uint32_t transfer);
  void doneSomewhere(uint64_t time, uint32_t transfer);

  struct Ready {
    uint64_t time = 0;
    uint32_t transfer = kNone; ///< the last store of the bytes
  };
  /// When the bytes [begin, end) are there; nullopt while a store to them before `step` is open.
  std::optional<Ready> readyAt(uint64_t begin, uint64_t end, uint32_t step) const;

private:
  struct Open {
    uint64_t end;
    uint32_t step;
  };
  std::multimap<uint64_t, Open> open_; ///< by begin, disjoint
  std::deque<uint32_t> openSomewhere_; ///< steps
  Ready doneSomewhere_;
  struct Done {
    uint64_t end;
    Ready ready;
  };
  std::map<uint64_t, Done> done_; ///< by begin, disjoint
};

class TransferScheduler {
public:
  TransferScheduler(const firmware::Target &target, const Sequence &lowered, const std::vector<uint32_t> &compute,
                    const std::vector<Transfer> &transfers, bool mayBeSpread);

  /// Appends all steps in their final order; returns the estimated times, of tiles in the order of the steps.
  PlayedTimes run(std::vector<Step> &steps);

private:
  struct Piece {
    const Transfer *transfer = nullptr;
    uint64_t offset = 0, bytes = 0; ///< of each run
    uint64_t cycles = 0;            ///< of the port
    uint64_t channelCycles = 0;     ///< of its channel alone
  };
  static constexpr uint64_t kUnknown = UINT64_MAX;

  void fillQueues();
  void addPieces(const Transfer &transfer);
  void advanceCompute();
  bool blocksCompute(uint32_t time) const;
  uint64_t readyTime(const Piece &piece) const;
  std::optional<StoreTracker::Ready> storesBefore(const Piece &piece) const;
  void expectStore(const Piece &piece);
  void finishStore(const Piece &piece, uint64_t time);
  void admitConstants();
  bool isEmpty(uint32_t queue) const;
  const Piece &front(uint32_t queue) const;
  Piece takeFront(uint32_t queue);
  int chooseQueue() const;
  bool continuesLast(const Piece &piece, const std::vector<Step> &steps) const;
  void extendLast(const Piece &piece, std::vector<Step> &steps);
  void noteArrival(const Transfer &transfer, uint64_t time);
  void issue(uint32_t queue, std::vector<Step> &steps);
  void emitComputeUpTo(uint32_t time, std::vector<Step> &steps);
  uint32_t channelFor(TransferKind kind, uint64_t ready) const;

  const firmware::Target &target_;
  const Sequence &lowered_;
  const std::vector<uint32_t> &compute_;
  const std::vector<Transfer> &transfers_;
  const bool isSpread_;                     ///< transfers are spread over the channels
  std::vector<uint64_t> channelEnds_;       ///< of the transfers that each channel has
  std::array<std::deque<Piece>, 3> queues_; ///< by kind
  /// Constants that can start without delaying the port, by need and position. The queue has the others.
  std::map<std::pair<uint32_t, uint32_t>, Piece> startable_;
  uint32_t admitted_ = 0;
  Piece last_;                                        ///< issued, with those that continue it
  std::vector<uint32_t> waitingFor_;                  ///< by compute time: pieces that must be issued before the step
  std::vector<uint64_t> dataThere_;                   ///< by compute time: when the step's transfers are done
  std::vector<uint64_t> finish_;                      ///< of the compute steps known so far
  std::unordered_map<uint32_t, StoreTracker> stores_; ///< by remote buffer
  std::vector<PlayedTransfer> played_;                ///< in the order of issue
  std::multiset<uint32_t> openNeeds_;                 ///< `need` of the remaining pieces of stores
  uint64_t port_ = 0;                                 ///< when the off-chip port is free
  uint32_t emitted_ = 0;                              ///< compute steps in the list
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_TRANSFERS_TRANSFERSCHEDULER_H
