//===- StepRun.h - One step of an execution ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_RUN_STEPRUN_H
#define AVOCET_HAL_PARTITION_LIB_RUN_STEPRUN_H

#include "avocet/hal/types/Interfaces.h"
#include "prepare/PreparedPlan.h"
#include "run/BufferCopies.h"
#include "run/Value.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// The values of one subgraph during an execution.
struct Frame {
  std::vector<Value> values;                            ///< by operand
  std::vector<std::optional<Destination>> destinations; ///< by operand; outputs of the caller
};

/// What the steps of an execution share.
struct RunContext {
  const PreparedPlan &plan;
  const ExecutionOptions &options;
  Arena &arena;
  StepCaller &caller;
  const BufferTable &buffers; ///< of the model
  bool isTimed = true;        ///< all steps so far measured their times
  Timing timing = {Duration(0), Duration(0)};
  /// The last step refused a value that another step computed: a device that runs both may accept it.
  bool refusedComputedValue = false;
};

/// One device step of one execution: places its outputs, calls the device, and repeats the call with more memory or on
/// the CPU.
class StepRun {
public:
  StepRun(RunContext &context, PreparedStep &step, Frame &frame) : context_(context), step_(step), frame_(frame) {}
  /// The outputs are then set in the frame. An output that does not fit its destination is in the arena.
  Outcome run();

private:
  const Operand &outputOperand(size_t output) const;
  Outcome addInputs();
  Outcome addOutputs();
  Outcome placeAt(size_t output, const Destination &destination, bool &fits);
  Outcome placeInArena(size_t output, uint64_t bytes);
  uint32_t poolIndex(const RequestPool &pool, int64_t identifier);
  ExecutionOutcome call();
  BufferFinder bufferFinder() const;
  ExecutionOutcome callOnCpu(const std::shared_ptr<IPreparedModel> &copy, ErrorStatus failure);
  Outcome enlarge(const ExecutionOutcome &outcome);
  Outcome finish(const ExecutionOutcome &outcome);
  Outcome setOutput(size_t output, const std::vector<uint32_t> &dimensions);
  bool readsComputedValue() const;
  void addTimes(const Timing &timing);

  RunContext &context_;
  PreparedStep &step_;
  Frame &frame_;
  Request request_;
  std::vector<int64_t> identifiers_;
  std::vector<Value> outputs_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_STEPRUN_H
