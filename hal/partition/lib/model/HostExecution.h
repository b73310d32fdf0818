//===- HostExecution.h - Reusable executions --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_HOSTEXECUTION_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_HOSTEXECUTION_H

#include "model/HostModel.h"

#include <atomic>
#include <functional>
#include <memory>

namespace avocet::hal::partition {

/// A reusable execution on top of a function that runs its request.
class HostExecution final : public IExecution, public std::enable_shared_from_this<HostExecution> {
public:
  using Run = std::function<ExecutionOutcome(const ExecutionOptions &)>;
  /// `outputsAreKnown`: whether fenced runs are allowed.
  HostExecution(std::shared_ptr<HostModel> model, ExecutionOptions options, bool outputsAreKnown, Run run)
      : model_(std::move(model)), options_(std::move(options)), outputsAreKnown_(outputsAreKnown),
        run_(std::move(run)) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override;
  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override;

private:
  Outcome checkedOptions(const OptionalTimePoint &deadline, ExecutionOptions &options) const;

  const std::shared_ptr<HostModel> model_;
  const ExecutionOptions options_;
  const bool outputsAreKnown_;
  const Run run_;
  std::atomic<bool> isRunning_ = false;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_HOSTEXECUTION_H
