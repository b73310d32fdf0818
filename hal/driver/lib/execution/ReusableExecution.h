//===- ReusableExecution.h - A request bound once for many runs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_REUSABLEEXECUTION_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_REUSABLEEXECUTION_H

#include "model/PreparedModel.h"

#include <atomic>

namespace avocet::hal {

class ReusableExecution final : public IExecution, public std::enable_shared_from_this<ReusableExecution> {
public:
  ReusableExecution(std::shared_ptr<PreparedModel> model, std::shared_ptr<const BoundRequest> bound)
      : model_(std::move(model)), bound_(std::move(bound)) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override;
  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override;

private:
  const std::shared_ptr<PreparedModel> model_;
  const std::shared_ptr<const BoundRequest> bound_;
  std::atomic<bool> isRunning_{false};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_REUSABLEEXECUTION_H
