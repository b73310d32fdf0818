//===- StepCaller.h - How a step is executed --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_RUN_STEPCALLER_H
#define AVOCET_HAL_PARTITION_LIB_RUN_STEPCALLER_H

#include "avocet/hal/types/Interfaces.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace avocet::hal::partition {

/// Executes a step's request. `identifiers`: of its pools; only bursts use them.
class StepCaller {
public:
  virtual ~StepCaller() = default;
  virtual ExecutionOutcome call(const std::shared_ptr<IPreparedModel> &model, const Request &request,
                                const std::vector<int64_t> &identifiers, const ExecutionOptions &options) {
    (void)identifiers;
    return model->execute(request, options);
  }
};

/// Executes each step in a burst of its own. A device without bursts executes as usual. One call at a time.
class BurstCaller final : public StepCaller {
public:
  ExecutionOutcome call(const std::shared_ptr<IPreparedModel> &model, const Request &request,
                        const std::vector<int64_t> &identifiers, const ExecutionOptions &options) override;
  void release(int64_t identifier);

private:
  std::map<std::shared_ptr<IPreparedModel>, std::shared_ptr<IBurst>> bursts_; ///< null: the device has none
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_STEPCALLER_H
