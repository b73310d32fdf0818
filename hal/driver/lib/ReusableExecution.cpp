//===- ReusableExecution.cpp - A request that is bound once and runs often --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReusableExecution.h"

namespace avocet::hal {

ExecutionOutcome ReusableExecution::compute(const OptionalTimePoint &deadline) {
  if (isRunning_.exchange(true, std::memory_order_acquire))
    return failed(invalidArgument("execution: it is running already"));
  ExecutionOutcome outcome = answered([&] {
    ExecutionOptions options = bound_->options;
    options.deadline = deadline;
    return model_->run(*bound_->view, options);
  });
  isRunning_.store(false, std::memory_order_release);
  return outcome;
}

} // namespace avocet::hal
