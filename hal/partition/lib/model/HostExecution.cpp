//===- HostExecution.cpp - Reusable executions ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/HostExecution.h"

#include "model/FencedTask.h"

namespace avocet::hal::partition {

namespace {

/// Marks an object as free at the end of a run.
class Turn {
public:
  explicit Turn(std::atomic<bool> &flag) : flag_(flag) {}
  ~Turn() { flag_ = false; }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  std::atomic<bool> &flag_;
};

Error busy() { return invalidArgument("the reusable execution runs already; it allows one run at a time"); }

} // namespace

Outcome HostExecution::checkedOptions(const OptionalTimePoint &deadline, ExecutionOptions &options) const {
  options = options_;
  options.deadline = deadline;
  return HostModel::checkOptions(options);
}

ExecutionOutcome HostExecution::compute(const OptionalTimePoint &deadline) {
  ExecutionOptions options;
  if (Outcome checked = checkedOptions(deadline, options); !checked)
    return failed(checked.error());
  if (isRunning_.exchange(true))
    return failed(busy());
  const Turn turn(isRunning_);
  return run_(options);
}

Result<FencedLaunch> HostExecution::computeFenced(const std::vector<SyncFence> &waitFor,
                                                  const OptionalTimePoint &deadline,
                                                  const OptionalDuration &timeoutAfterFence) {
  FencedOptions options;
  AVOCET_RETURN_IF_ERROR(checkedOptions(deadline, options.execution));
  options.timeoutAfterFence = timeoutAfterFence;
  if (!outputsAreKnown_)
    return invalidArgument("a fenced run needs outputs of known sizes");
  if (isRunning_.exchange(true))
    return busy();
  // Ends the run when the task drops it, or when it could not be launched.
  auto turn = std::make_shared<Turn>(isRunning_);
  return launchFenced(model_->tasks(), waitFor, options,
                      [self = shared_from_this(), turn](const ExecutionOptions &left) { return self->run_(left); });
}

} // namespace avocet::hal::partition
