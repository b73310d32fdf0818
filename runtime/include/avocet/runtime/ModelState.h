//===- ModelState.h - Tensors that outlive a run ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The states of one open model, such as variables of a TFLite network: ModelCache::numStates() tensors that a run reads
// and replaces. Each state has two buffers. A run reads one and writes the other; advance() exchanges them, so that a
// run that fails changes nothing.
//
// Legal sequence: create(), bind() to a job, then any number of times {run the job, advance()}. A job whose states were
// not bound here cannot be submitted. Runs that continue one another cannot overlap, so one state belongs to one job.
//
// Threads: one at a time, and none while the job runs. Lifetime: keeps the executable alive.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_MODELSTATE_H
#define AVOCET_RUNTIME_MODELSTATE_H

#include "avocet/runtime/Job.h"
#include "avocet/runtime/StateValues.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace avocet::runtime {

class ModelState final : public StateValues {
public:
  /// Allocates the buffers, with initial values. InvalidArgument for null; ResourceExhausted.
  static Result<std::unique_ptr<ModelState>> create(std::shared_ptr<const Executable> executable);

  size_t count() const override { return states_.size(); }
  cache::OperandView description(size_t index) const override;
  std::span<uint8_t> bytes(size_t index) override { return states_[index][current_]->buffer()->bytes(); }

  /// Binds the states to a job of the same executable, which must not be running.
  Status bind(Job &job) const;
  /// After a completed run of the job: what it wrote is the input of the next run.
  Status advance(Job &job);

private:
  using Buffers = std::array<std::shared_ptr<BufferMapping>, 2>;

  explicit ModelState(std::shared_ptr<const Executable> executable) : executable_(std::move(executable)) {}
  Status allocate(size_t index);

  std::shared_ptr<const Executable> executable_;
  std::vector<Buffers> states_;
  size_t current_ = 0; ///< the buffers that the next run reads
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_MODELSTATE_H
