//===- Program.h - A compiled network and the jobs that run it ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program for one set of shapes. Each run takes a slot: a job with scratch memory. Slots are made when all others
// are in use, and kept for the next run with the bindings of their operands.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAM_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAM_H

#include "avocet/cache/ModelCache.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/runtime/Queue.h"
#include "client/Quota.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

/// A program computes an output whose number of rows depends on data with the largest possible extent of axis 0. A
/// further output of the program, with the name "output3.rows" for output 3, has the number of rows that are valid: one
/// element of type INT32.
class RowCounts {
public:
  /// `numOutputs`: of the model. GeneralFailure: the other outputs are not numbers of rows.
  static Result<RowCounts> of(const cache::ModelCache &program, size_t numOutputs);

  bool isEmpty() const { return isEmpty_; }
  /// The output of the program with the number of rows of an output of the model, if these depend on data.
  std::optional<size_t> of(size_t output) const { return counts_[output]; }

private:
  std::vector<std::optional<size_t>> counts_; ///< by output of the model
  bool isEmpty_ = true;
};

/// A job, and its own memory for operands that cannot be bound to other memory. One thread at a time.
class JobSlot {
public:
  static Result<std::unique_ptr<JobSlot>> create(std::shared_ptr<const runtime::Executable> executable,
                                                 std::shared_ptr<Quota> memory);

  /// Binds an operand to the slot's own memory, which the first call allocates; returns the bytes of the operand there.
  Result<std::span<uint8_t>> stageInput(size_t index) { return stage(inputs_[index], Direction::Input, index); }
  Result<std::span<uint8_t>> stageOutput(size_t index) { return stage(outputs_[index], Direction::Output, index); }

  /// The bytes of a staged output after a run; empty for others.
  std::span<const uint8_t> stagedOutput(size_t index) const;

  /// Binds an operand to bytes [offset, offset + its size) of a mapping. False: it was already bound to them.
  Result<bool> bindInput(size_t index, std::shared_ptr<runtime::BufferMapping> mapping, uint64_t offset) {
    return bind(inputs_[index], Direction::Input, index, std::move(mapping), offset);
  }
  Result<bool> bindOutput(size_t index, std::shared_ptr<runtime::BufferMapping> mapping, uint64_t offset) {
    return bind(outputs_[index], Direction::Output, index, std::move(mapping), offset);
  }
  bool isBoundTo(const runtime::BufferMapping *mapping) const;

  runtime::Job &job() { return *job_; }
  /// Whether the last run has ended.
  bool isIdle() const { return job_->fence()->isSignaled(); }

  TimePoint lastUse;              ///< set by the program
  const void *lastUser = nullptr; ///< the last user; only compared

private:
  enum class Direction { Input, Output };
  struct Operand {
    uint64_t bytes = 0;
    const runtime::BufferMapping *bound = nullptr; ///< kept alive by the job
    uint64_t offset = 0;
    std::shared_ptr<runtime::BufferMapping> own; ///< null until it is staged
    Charge charge;                               ///< of `own`
  };
  Result<std::span<uint8_t>> stage(Operand &operand, Direction direction, size_t index);
  Result<bool> bind(Operand &operand, Direction direction, size_t index,
                    std::shared_ptr<runtime::BufferMapping> mapping, uint64_t offset);
  Outcome allocate(Operand &operand);
  /// Each run starts from the initial values; what it writes is not read.
  Outcome stageStates();

  std::shared_ptr<Quota> memory_;
  Charge scratch_;
  std::vector<Operand> inputs_, outputs_;
  std::unique_ptr<runtime::Job> job_; ///< last member: destroyed before its memory
};

class Program {
public:
  /// `memory` is charged for the program and its slots.
  static Result<std::shared_ptr<Program>> load(std::shared_ptr<runtime::Context> context,
                                               std::shared_ptr<const cache::ModelCache> model,
                                               const cache::DataCache &data, RowCounts rows,
                                               std::shared_ptr<Quota> memory);

  const cache::ModelCache &model() const { return executable_->model(); }
  uint64_t clockHz() const { return executable_->context()->device().target().clockHz(); }
  /// Cycles of a run: the most that one took so far, else the compiler's prediction with a margin for its errors. 0:
  /// unknown.
  uint64_t expectedCycles() const;
  /// After a run that took so many cycles.
  void noteCycles(uint64_t cycles);
  /// Extents of an output; empty for a scalar. For one of rows(), axis 0 has the largest possible extent.
  std::vector<uint32_t> outputDimensions(size_t index) const;
  /// The outputs whose number of rows is known after a run.
  const RowCounts &rows() const { return rows_; }

  /// A slot whose job is idle, if possible the last one of `user`. Return it with giveBack(), also after an abandoned
  /// run.
  Result<std::unique_ptr<JobSlot>> takeSlot(const void *user = nullptr);
  void giveBack(std::unique_ptr<JobSlot> slot, TimePoint now);

  /// Frees idle slots last used before a time; returns the number of slots left.
  size_t trim(TimePoint before);

  /// Frees idle slots that are bound to a mapping.
  void release(const runtime::BufferMapping *mapping);

private:
  using Slots = std::vector<std::unique_ptr<JobSlot>>;
  Program(std::shared_ptr<const runtime::Executable> executable, RowCounts rows, std::shared_ptr<Quota> memory,
          Charge charge)
      : executable_(std::move(executable)), rows_(std::move(rows)), memory_(std::move(memory)),
        charge_(std::move(charge)) {}
  size_t freeIdle(const std::function<bool(const JobSlot &)> &isMeant);

  const std::shared_ptr<const runtime::Executable> executable_;
  const RowCounts rows_;
  const std::shared_ptr<Quota> memory_;
  const Charge charge_; ///< constants and commands
  std::atomic<uint64_t> measuredCycles_{0};
  std::mutex mutex_; ///< guards slots_; a leaf
  Slots slots_;      ///< most recently used last
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_PROGRAM_H
