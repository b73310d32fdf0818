//===- Fences.cpp - Cases through fenced executions ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseRunner.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::hal::conformance {
namespace {

/// A fence that is foreign to every device: an eventfd. The destructor signals it, which ends all waits for it.
class ForeignFence {
public:
  ForeignFence(ForeignFence &&) = default;
  ForeignFence &operator=(ForeignFence &&) = delete;
  ~ForeignFence() {
    if (file_)
      signal();
  }
  static avocet::Result<ForeignFence> make() {
    ForeignFence made;
    made.file_ = std::make_shared<const FileDescriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    auto fence = SyncFence::adopt(made.file_);
    if (!fence)
      return resourceExhausted("cannot make a fence: " + fence.error().message);
    made.fence_ = std::move(*fence);
    return made;
  }
  const SyncFence &fence() const { return fence_; }
  void signal() const { (void)::eventfd_write(file_->get(), 1); }

private:
  ForeignFence() = default;
  SharedHandle file_;
  SyncFence fence_;
};

/// One fenced execution with its own memory.
struct FencedRun {
  RequestBuffers buffers;
  FencedLaunch launch;
};

/// The run, or the verdict if there is none.
std::variant<FencedRun, RunResult> launch(const TestCase &test, IPreparedModel &model,
                                          const std::vector<SyncFence> &waitFor, const ExecutionOptions &options) {
  auto buffers = RequestBuffers::make(test);
  if (!buffers)
    return noResources(buffers.status());
  auto launched = model.executeFenced(buffers->request(), waitFor, {.execution = options, .timeoutAfterFence = {}});
  if (!launched)
    return checkRefusal("executeFenced", launched.error());
  if (!launched->info)
    return failed("executeFenced answers success without a callback for times");
  return FencedRun{std::move(*buffers), std::move(*launched)};
}

/// The verdict before the awaited fence has signaled.
RunResult checkWaiting(const FencedRun &run) {
  if (run.launch.fence.state() != FenceState::Active)
    return failed("a fenced execution does not wait for its fence");
  if (auto info = run.launch.info->executionInfo(); info.code() != ErrorStatus::GeneralFailure)
    return failed(fmt::format("executionInfo before the end answers {}", toString(info.code())));
  return passed();
}

/// The CPU has no time on a device.
RunResult checkTimes(const FencedTimes &times, DeviceType type) {
  for (const Timing &timing : {times.launched, times.fenced}) {
    if (!timing.timeInDriver || (!timing.timeOnDevice && type != DeviceType::Cpu))
      return failed("times were requested and are missing");
    if (timing.timeOnDevice && *timing.timeOnDevice > *timing.timeInDriver)
      return failed("more time on the device than in the driver");
  }
  return passed();
}

RunResult checkEnd(const TestCase &test, const FencedRun &run, DeviceType type, TimePoint deadline) {
  const FenceState state = run.launch.fence.wait(std::max(deadline - BootClock::now(), Duration(0)));
  if (state == FenceState::Active)
    return failed("a fence does not signal");
  auto info = run.launch.info->executionInfo();
  if (!info)
    return failedCall("executionInfo", info.code(), info.error().message);
  if (state == FenceState::Error)
    return failed("a fence is in its error state, but executionInfo reports no error");
  if (RunResult times = checkTimes(*info, type); times.verdict != Verdict::Passed)
    return times;
  if (RunResult values = checkValues(test, run.buffers.copyOutputs(test)); values.verdict != Verdict::Passed)
    return values;
  const std::string damage = run.buffers.damage();
  return damage.empty() ? passed() : failed("memory that is no output was written", damage);
}

} // namespace

/// Three in a chain: after a foreign fence, after the first run, after none. The last one launched ends first.
RunResult CaseRunner::fenced() {
  if (asWritten().refusal)
    return *asWritten().refusal;
  const TestCase &test = asWritten().test;
  std::vector<FencedRun> runs; // declared before the fence, whose destructor lets them end
  auto foreign = ForeignFence::make();
  if (!foreign)
    return noResources(foreign.status());
  ExecutionOptions measured = options();
  measured.measure = MeasureTiming::Yes;
  for (int i = 0; i < 3; ++i) {
    std::vector<SyncFence> waitFor;
    if (i < 2)
      waitFor.push_back(i == 0 ? foreign->fence() : runs[0].launch.fence);
    auto run = launch(test, *asWritten().model, waitFor, measured);
    if (auto *verdict = std::get_if<RunResult>(&run))
      return *verdict;
    runs.push_back(std::get<FencedRun>(std::move(run)));
  }
  if (RunResult alone = checkEnd(test, runs[2], device_.type(), deadline_); alone.verdict != Verdict::Passed)
    return alone;
  for (int i = 0; i < 2; ++i)
    if (RunResult waiting = checkWaiting(runs[i]); waiting.verdict != Verdict::Passed)
      return waiting;
  foreign->signal();
  for (const FencedRun &run : runs) {
    const Execution ended = {checkEnd(test, run, device_.type(), deadline_), run.buffers.copyOutputs(test)};
    if (RunResult result = sameAsReference(ended); result.verdict != Verdict::Passed)
      return result;
  }
  return passed();
}

} // namespace avocet::hal::conformance
