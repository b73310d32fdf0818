//===- SavedSram.h - On-chip memory of jobs that are suspended --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A suspended job's live bytes stay where they are until somebody needs the place. Then they are evacuated: moved to
// memory of the firmware's own over the off-chip port, before the command that needs the place starts. What was
// evacuated is moved back before the job goes on.
//
// That is the model of time. The data itself is copied aside when the job stops and copied back when it goes on, so
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
  /// Copies `live` aside; without `data`, only keeps account of it.
  SavedSram(ByteSet live, std::span<const uint8_t> sram, bool data);

  /// Puts everything back.
  void copyBack(std::span<uint8_t> sram) const;

  uint64_t bytes() const { return live_.bytes(); }
  /// The range around all of it.
  firmware::ByteRange extent() const;
  bool isComplete() const { return evacuated_.empty(); }

  /// Whether nothing of [begin, end) is still in its place.
  bool isFree(uint64_t begin, uint64_t end) const { return !resident_.firstIn(begin, end); }

  /// Marks the first bytes of [begin, end) that are still in their place as evacuated, `most` at most, and adds them to
  /// `moved`; the number of bytes, in whole bursts, that have to be moved for it.
  uint64_t evacuate(uint64_t begin, uint64_t end, uint64_t most, uint64_t burst, ByteSet &moved);

  /// The next evacuated bytes, `most` at most, are in their place again. Requires !isComplete().
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

/// The suspended jobs, seen from a job that runs. One that ends meanwhile leaves nothing there.
class Evacuation {
public:
  explicit Evacuation(const firmware::Target &target) : target_(target) {}

  void add(std::shared_ptr<SavedSram> saved) { saved_.push_back(std::move(saved)); }
  bool isNeeded() const { return !saved_.empty(); }

  /// Whether nothing is in a command's way.
  bool isFree(const std::vector<firmware::ByteRange> &ranges) const;

  /// Bytes, in whole bursts, that leave [begin, end), `most` at most of each job.
  uint64_t clear(uint64_t begin, uint64_t end, uint64_t most);

  /// Time starts anew. Nothing is on its way.
  void beginSection() { moving_ = {}, movedAt_ = 0; }

  /// Evacuates some of what is in a command's way, asking for the ports at `now`; returns when to ask again, or `now`:
  /// nothing is in its way any more. Moves a bounded number of bytes, so that a job that shall stop is not kept.
  uint64_t makeRoom(const std::vector<firmware::ByteRange> &ranges, uint64_t now, BandwidthCalendar &sramPort,
                    BandwidthCalendar &dramPort);

private:
  const firmware::Target &target_;
  /// Length of a move in cycles of the off-chip port.
  static constexpr uint64_t kPieceQuanta = 64;

  std::vector<std::shared_ptr<SavedSram>> saved_;
  ByteSet moving_; ///< on its way out, until movedAt_
  uint64_t movedAt_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_SAVEDSRAM_H
