//===- PlannedBurst.h - Bursts of several steps -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_PLANNEDBURST_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_PLANNEDBURST_H

#include "model/PlannedModel.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace avocet::hal::partition {

/// A burst for each step, and memory between the steps that all runs share. Identifiers of the caller become even ones
/// for the steps; odd ones are those of the memory between the steps.
class PlannedBurst final : public IBurst {
public:
  explicit PlannedBurst(std::shared_ptr<PlannedModel> model) : model_(std::move(model)), arena_(model_->makeArena()) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

private:
  int64_t ownIdentifier(int64_t identifier);

  const std::shared_ptr<PlannedModel> model_;
  const std::unique_ptr<Arena> arena_;
  std::mutex mutex_; ///< guards the members below; held during a run
  BurstCaller caller_;
  std::map<int64_t, int64_t> identifiers_; ///< of the caller, to those for the steps
  int64_t next_ = 0;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_PLANNEDBURST_H
