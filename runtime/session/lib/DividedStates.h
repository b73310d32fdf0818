//===- DividedStates.h - States of a divided network ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_SESSION_LIB_DIVIDEDSTATES_H
#define AVOCET_RUNTIME_SESSION_LIB_DIVIDEDSTATES_H

#include "ValueMemory.h"
#include "avocet/runtime/StateValues.h"

#include <array>
#include <memory>
#include <vector>

namespace avocet::session {

/// Two memories for each state: a run reads one and writes the other.
class DividedStates final : public runtime::StateValues {
public:
  /// States are the last inputs of the model.
  explicit DividedStates(std::shared_ptr<const cache::ModelCache> model) : model_(std::move(model)) {}
  /// Before all others. ResourceExhausted.
  Status allocate();

  size_t count() const override { return values_.size(); }
  cache::OperandView description(size_t index) const override {
    return model_->input(model_->numInputs() - model_->numStates() + index);
  }
  std::span<uint8_t> bytes(size_t index) override { return values_[index][current_].bytes(); }

  const ValueMemory &current(size_t index) const { return values_[index][current_]; }
  const ValueMemory &next(size_t index) const { return values_[index][1 - current_]; }
  /// After a run.
  void advance() { current_ = 1 - current_; }

private:
  const std::shared_ptr<const cache::ModelCache> model_;
  std::vector<std::array<ValueMemory, 2>> values_;
  size_t current_ = 0;
};

} // namespace avocet::session

#endif // AVOCET_RUNTIME_SESSION_LIB_DIVIDEDSTATES_H
