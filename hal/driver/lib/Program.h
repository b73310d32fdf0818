//===- Program.h - A compiled network and the jobs that run it ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program for one set of shapes. Each run takes a slot: a job with scratch memory and a staging buffer for every
// input and output. Slots are made when all others are taken, and kept for the next run.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_PROGRAM_H
#define AVOCET_HAL_DRIVER_LIB_PROGRAM_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"
#include "avocet/runtime/Queue.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace avocet::hal {

/// A job whose operands are bound to memory of its own. One thread at a time.
class JobSlot {
public:
  static avocet::Result<std::unique_ptr<JobSlot>> create(std::shared_ptr<const runtime::Executable> executable);

  std::span<uint8_t> input(size_t index) { return bytesOf(inputs_[index]); }
  std::span<const uint8_t> output(size_t index) { return bytesOf(outputs_[index]); }
  runtime::Job &job() { return *job_; }
  /// Whether the last run has ended.
  bool isIdle() const { return job_->fence()->isSignalled(); }

  TimePoint lastUse; ///< kept by the program

private:
  struct Place {
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };
  avocet::Status bindAll(const std::shared_ptr<runtime::Context> &context, uint64_t bytes);
  std::span<uint8_t> bytesOf(const Place &place) { return staging_->bytes().subspan(place.offset, place.bytes); }

  std::shared_ptr<runtime::Buffer> staging_;
  std::vector<Place> inputs_, outputs_;
  std::unique_ptr<runtime::Job> job_; ///< last: it must end before its memory goes
};

class Program {
public:
  static avocet::Result<std::shared_ptr<Program>> load(std::shared_ptr<runtime::Context> context,
                                                       std::shared_ptr<const cache::ModelCache> model,
                                                       const cache::DataCache &data);

  const cache::ModelCache &model() const { return executable_->model(); }
  uint64_t clockHz() const { return executable_->context()->device().target().clockHz(); }
  /// Extents of an output; empty for a scalar.
  std::vector<uint32_t> outputDimensions(size_t index) const;

  /// A slot whose job is idle. It goes back with giveBack(), after a run that was abandoned too.
  avocet::Result<std::unique_ptr<JobSlot>> takeSlot();
  void giveBack(std::unique_ptr<JobSlot> slot, TimePoint now);

  /// Frees idle slots that were last used before a time; how many are left.
  size_t trim(TimePoint before);

private:
  explicit Program(std::shared_ptr<const runtime::Executable> executable) : executable_(std::move(executable)) {}

  const std::shared_ptr<const runtime::Executable> executable_;
  std::mutex mutex_; ///< guards slots_; a leaf
  std::vector<std::unique_ptr<JobSlot>> slots_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_PROGRAM_H
