//===- Program.h - A compiled network and the jobs that run it ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program for one set of shapes. Each run takes a slot: a job with scratch memory. Slots are made when all others
// are taken, and kept for the next run, with what their operands are bound to.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAM_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAM_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"
#include "avocet/runtime/Queue.h"
#include "client/Quota.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace avocet::hal {

/// A job, and memory of its own for operands that cannot be bound to anybody else's. One thread at a time.
class JobSlot {
public:
  static Result<std::unique_ptr<JobSlot>> create(std::shared_ptr<const runtime::Executable> executable,
                                                 std::shared_ptr<Quota> memory);

  /// Binds an operand to memory of the slot's own, which the first call allocates; the bytes of the operand there.
  Result<std::span<uint8_t>> stageInput(size_t index) { return stage(inputs_[index], Direction::Input, index); }
  Result<std::span<uint8_t>> stageOutput(size_t index) { return stage(outputs_[index], Direction::Output, index); }

  /// What a run has written to an output that is staged; empty for others.
  std::span<const uint8_t> stagedOutput(size_t index) const;

  /// Binds an operand to bytes [offset, offset + its size) of a mapping. False: it was bound to them already.
  Result<bool> bindInput(size_t index, std::shared_ptr<runtime::BufferMapping> mapping, uint64_t offset) {
    return bind(inputs_[index], Direction::Input, index, std::move(mapping), offset);
  }
  Result<bool> bindOutput(size_t index, std::shared_ptr<runtime::BufferMapping> mapping, uint64_t offset) {
    return bind(outputs_[index], Direction::Output, index, std::move(mapping), offset);
  }
  bool isBoundTo(const runtime::BufferMapping *mapping) const;

  runtime::Job &job() { return *job_; }
  /// Whether the last run has ended.
  bool isIdle() const { return job_->fence()->isSignalled(); }

  TimePoint lastUse;              ///< kept by the program
  const void *lastUser = nullptr; ///< who took it last; only compared

private:
  enum class Direction { Input, Output };
  struct Operand {
    uint64_t bytes = 0;
    const runtime::BufferMapping *bound = nullptr; ///< the job holds it
    uint64_t offset = 0;
    std::shared_ptr<runtime::BufferMapping> own; ///< null until it is staged
    Charge charge;                               ///< of `own`
  };
  Result<std::span<uint8_t>> stage(Operand &operand, Direction direction, size_t index);
  Result<bool> bind(Operand &operand, Direction direction, size_t index,
                    std::shared_ptr<runtime::BufferMapping> mapping, uint64_t offset);
  Outcome allocate(Operand &operand);

  std::shared_ptr<Quota> memory_;
  Charge scratch_;
  std::vector<Operand> inputs_, outputs_;
  std::unique_ptr<runtime::Job> job_; ///< last: it must end before its memory goes
};

class Program {
public:
  /// `memory` is charged for what the program and its slots need.
  static Result<std::shared_ptr<Program>> load(std::shared_ptr<runtime::Context> context,
                                               std::shared_ptr<const cache::ModelCache> model,
                                               const cache::DataCache &data, std::shared_ptr<Quota> memory);

  const cache::ModelCache &model() const { return executable_->model(); }
  uint64_t clockHz() const { return executable_->context()->device().target().clockHz(); }
  /// Extents of an output; empty for a scalar.
  std::vector<uint32_t> outputDimensions(size_t index) const;

  /// A slot whose job is idle, if possible the one that `user` had last. It goes back with giveBack(), after a run that
  /// was abandoned too.
  Result<std::unique_ptr<JobSlot>> takeSlot(const void *user = nullptr);
  void giveBack(std::unique_ptr<JobSlot> slot, TimePoint now);

  /// Frees idle slots that were last used before a time; how many are left.
  size_t trim(TimePoint before);

  /// Frees idle slots that are bound to a mapping.
  void release(const runtime::BufferMapping *mapping);

private:
  using Slots = std::vector<std::unique_ptr<JobSlot>>;
  Program(std::shared_ptr<const runtime::Executable> executable, std::shared_ptr<Quota> memory, Charge charge)
      : executable_(std::move(executable)), memory_(std::move(memory)), charge_(std::move(charge)) {}
  size_t freeIdle(const std::function<bool(const JobSlot &)> &isMeant);

  const std::shared_ptr<const runtime::Executable> executable_;
  const std::shared_ptr<Quota> memory_;
  const Charge charge_; ///< constants and commands
  std::mutex mutex_;    ///< guards slots_; a leaf
  Slots slots_;         ///< most recently used last
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAM_H
