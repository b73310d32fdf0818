//===- DividedSession.h - Runs a divided network ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_SESSION_LIB_DIVIDEDSESSION_H
#define AVOCET_RUNTIME_SESSION_LIB_DIVIDEDSESSION_H

#include "DividedStates.h"
#include "ValueMemory.h"
#include "avocet/session/DividedNetwork.h"
#include "avocet/session/LocalSession.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace avocet::session {

/// Each value has one memory, which the step that writes it and those that read it are bound to: nothing is copied
/// between steps, unless a back end cannot use memory of others. What is both an output and something else (an input, a
/// constant, another output) is copied at the end of a run.
class DividedSession final : public DeviceSession {
public:
  static Result<std::unique_ptr<DividedSession>> open(const LoadedModel &model, const LocalOptions &options);

  const runtime::DeviceProperties &device() const override { return properties_; }

  std::span<uint8_t> input(size_t index) override { return memory_[network_->inputs[index]].bytes; }
  std::span<const uint8_t> output(size_t index) const override { return results_[index].memory.bytes; }

  Status bindInput(size_t index, std::span<uint8_t> memory) override;
  Status bindOutput(size_t index, std::span<uint8_t> memory) override;
  /// Ends the step that runs, unless the application computes it, and starts no other.
  Status cancel() override;

  Status reset() override;
  runtime::StateValues *states() override { return &states_; }

  /// The first error of a step: of a network as LocalSession::run(), of an operator of the application its own.
  Result<RunRecord> run() override;
  Status finish() override;

private:
  struct Memory {
    std::span<uint8_t> bytes;
    const ValueMemory *owner = nullptr; ///< null: the caller's
  };
  /// An output of the network or the next value of a state.
  struct ResultPlace {
    size_t value = 0;
    bool isDirect = false; ///< the value is in the memory of the output
    ValueMemory own;       ///< of an output
    Memory memory;
  };
  struct Step {
    std::unique_ptr<LocalSession> session; ///< null: the application computes it
    std::vector<bool> copiesInput, copiesOutput;
    std::vector<CallTensor> inputs, outputs; ///< of the application
  };
  struct Use {
    size_t step, index;
    bool isInput;
  };

  explicit DividedSession(const LoadedModel &model)
      : DeviceSession(model.artefacts.model), network_(model.divided), states_(model.artefacts.model) {}
  Status openSteps(const LocalOptions &options);
  Status openStep(const DividedStep &planned, const LocalOptions &options);
  void findUses();
  Status placeValues();
  Status placeResults();
  Status placeStates();
  Status setMemory(size_t value, const Memory &memory);
  Status setResult(ResultPlace &place, const Memory &memory);
  Status bind(const Use &use, std::span<uint8_t> memory);
  Result<RunRecord> runStep(size_t index);
  Status call(size_t index);
  Status checkMarks(const DividedStep &planned) const;
  Status copyResults();

  const std::shared_ptr<const DividedNetwork> network_;
  DividedStates states_;
  runtime::DeviceProperties properties_;
  bool computes_ = true;
  std::vector<Step> steps_;
  std::vector<std::vector<Use>> uses_; ///< by value
  std::vector<ValueMemory> own_;       ///< by value; empty for those in memory of results and states
  std::vector<Memory> memory_;         ///< by value
  std::vector<ResultPlace> results_;   ///< as network_->outputs
  std::atomic<bool> isCancelled_ = false;
};

} // namespace avocet::session

#endif // AVOCET_RUNTIME_SESSION_LIB_DIVIDEDSESSION_H
