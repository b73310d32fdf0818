//===- ReusableExecution.cpp - A request bound once for many runs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/ReusableExecution.h"

#include "avocet/hal/types/Validation.h"
#include "fence/FencedExecution.h"

namespace avocet::hal {

ExecutionOutcome ReusableExecution::compute(const OptionalTimePoint &deadline) {
  model_->client().awaitSettled();
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

Result<FencedLaunch> ReusableExecution::computeFenced(const std::vector<SyncFence> &waitFor,
                                                      const OptionalTimePoint &deadline,
                                                      const OptionalDuration &timeoutAfterFence) {
  model_->client().awaitSettled();
  if (isRunning_.exchange(true, std::memory_order_acquire))
    return invalidArgument("execution: it is running already");
  auto whenEnded = [self = shared_from_this()] { self->isRunning_.store(false, std::memory_order_release); };
  Result<FencedLaunch> launch = withoutExceptions([&]() -> Result<FencedLaunch> {
    AVOCET_RETURN_IF_ERROR(validate(deadline));
    AVOCET_RETURN_IF_ERROR(validate(timeoutAfterFence));
    return FencedExecution::launch({model_, bound_, waitFor, deadline, timeoutAfterFence, whenEnded});
  });
  if (!launch)
    whenEnded();
  return launch;
}

} // namespace avocet::hal
