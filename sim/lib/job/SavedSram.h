//===- SavedSram.h - On-chip memory of jobs that are suspended --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The live bytes of a suspended job stay in SRAM until a command of another job needs the place. Before that command
// starts, they are evacuated: moved over the off-chip port to memory of the firmware. Evacuated bytes are moved back
// before the job continues.
//
// This holds for time only. The data itself is copied aside when the job stops and copied back when it continues, so
// that it cannot depend on time.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_SAVEDSRAM_H
#define AVOCET_SIM_LIB_JOB_SAVEDSRAM_H

#include "avocet/base/ByteSet.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Target.h"
#include "timing/BandwidthCalendar.h"

#include <memory>
#include <span>
#include <vector>

namespace avocet::sim {

/// Live bytes of one suspended job.
class SavedSram {
public:
  /// Nothing is saved.
  SavedSram() = default;
  /// Copies `live` aside; without `data`, only records the ranges.
  SavedSram(ByteSet live, std::span<const uint8_t> sram, bool data);

  /// Copies all saved bytes back.
  void copyBack(std::span<uint8_t> sram) const;

  uint64_t bytes() const { return live_.bytes(); }
  /// The smallest range that covers all live bytes.
  firmware::ByteRange extent() const;
  bool isComplete() const { return evacuated_.empty(); }

  /// Whether none of [begin, end) is still in its place.
  bool isFree(uint64_t begin, uint64_t end) const { return !resident_.firstIn(begin, end); }

  /// Marks the first bytes of [begin, end) that are still in their place as evacuated, `most` at most, and adds them to
  /// `moved`. Returns the number of bytes to move for it, in whole bursts.
  uint64_t evacuate(uint64_t begin, uint64_t end, uint64_t most, uint64_t burst, ByteSet &moved);

  /// Marks the next evacuated bytes, `most` at most, as back in their place. Requires !isComplete().
  struct Range {
    uint64_t begin, end;
  };
  Range bringBack(uint64_t most);

  uint64_t evacuatedBytes() const { return evacuatedBytes_; } ///< so far

private:
  ByteSet live_;
  std::vector<uint8_t> data_; ///< of live_, ascending
  ByteSet resident_, evacuated_;
  uint64_t evacuatedBytes_ = 0;
};

/// The suspended jobs, seen from a running job. A job that ends meanwhile leaves nothing in SRAM.
class Evacuation {
public:
  explicit Evacuation(const firmware::Target &target) : target_(target) {}

  void add(std::shared_ptr<SavedSram> saved) { saved_.push_back(std::move(saved)); }
  bool isNeeded() const { return !saved_.empty(); }

  /// Whether no suspended bytes are in the ranges.
  bool isFree(const std::vector<firmware::ByteRange> &ranges) const;

  /// Evacuates bytes of [begin, end), `most` at most of each job; returns the number of bytes in whole bursts.
  uint64_t clear(uint64_t begin, uint64_t end, uint64_t most);

  /// Resets time to 0. Requires that no move is in progress.
  void beginSection() { moving_ = {}, movedAt_ = 0; }

  /// Evacuates some of the bytes in a command's way, with port requests at `now`. Returns when to call again, or `now`
  /// if none are left. Moves a bounded number of bytes, so that a job can stop soon.
  uint64_t makeRoom(const std::vector<firmware::ByteRange> &ranges, uint64_t now, BandwidthCalendar &sramPort,
                    BandwidthCalendar &dramPort);

private:
  const firmware::Target &target_;
  /// Length of a move in cycles of the off-chip port.
  static constexpr uint64_t kPieceQuanta = 64;

  std::vector<std::shared_ptr<SavedSram>> saved_;
  ByteSet moving_; ///< being moved out, until movedAt_
  uint64_t movedAt_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_SAVEDSRAM_H
