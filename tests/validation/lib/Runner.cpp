//===- Runner.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/validation/Runner.h"

#include "CaseRunner.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace avocet::hal::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// The reason to skip the whole case, or empty.
std::string whySkipped(const IDevice &device, const CaseInfo &info) {
  if (info.suite == Suite::Experimental)
    return "operations without a published code";
  return info.level > device.featureLevel() ? "needs a later interface version" : "";
}

std::vector<RunKind> kindsOf(const CaseInfo &info, const RunnerOptions &options) {
  std::vector<RunKind> kinds;
  for (size_t i = 0; i < kNumRunKinds; ++i) {
    const auto kind = static_cast<RunKind>(i);
    if ((info.kinds & options.kinds).has(kind) && (kind != RunKind::FmqBurst || options.fmqBurst))
      kinds.push_back(kind);
  }
  return kinds;
}

/// A result with the same verdict for every kind.
CaseResult uniform(CaseInfo info, const RunnerOptions &options, RunResult run) {
  CaseResult result{.info = std::move(info), .runs = {}};
  for (RunKind kind : kindsOf(result.info, options)) {
    run.kind = kind;
    result.runs.push_back(run);
  }
  return result;
}

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A running case and its thread.
struct Running {
  Clock::time_point start;
  size_t thread = 0;
};

/// State shared by all threads; lives as long as the last of them, including abandoned ones.
struct Work {
  std::shared_ptr<IDevice> device;
  std::vector<CaseRef> cases;
  RunnerOptions options;

  std::mutex mutex; ///< guards everything below
  std::condition_variable changed;
  size_t next = 0;
  size_t done = 0;
  std::map<size_t, Running> running; ///< by case
  std::vector<std::unique_ptr<CaseResult>> results;

  void finish(size_t index, CaseResult result) {
    results[index] = std::make_unique<CaseResult>(std::move(result));
    ++done;
    if (options.progress)
      options.progress(*results[index], done, cases.size());
    changed.notify_all();
  }
};

CaseResult runOrFail(const Work &work, size_t index) {
  const CaseRef &ref = work.cases[index];
  try {
    return runCase(*work.device, ref, work.options);
  } catch (const std::bad_alloc &) {
    return uniform(ref.file->info(ref.index), work.options, failed("no memory is left"));
  } catch (const std::system_error &failure) {
    return uniform(ref.file->info(ref.index), work.options, failed(failure.what()));
  }
}

/// Runs cases until none is left, or until its case was abandoned.
void workOff(const std::shared_ptr<Work> &work, size_t thread) {
  std::unique_lock lock(work->mutex);
  while (work->next < work->cases.size()) {
    const size_t index = work->next++;
    work->running[index] = {Clock::now(), thread};
    work->changed.notify_all();
    lock.unlock();
    CaseResult result = runOrFail(*work, index);
    lock.lock();
    if (work->running.erase(index) == 0)
      return;
    work->finish(index, std::move(result));
  }
}

/// The threads of one run. A thread whose case is abandoned is detached.
class WorkerThreads {
public:
  explicit WorkerThreads(std::shared_ptr<Work> work) : work_(std::move(work)) {}
  ~WorkerThreads() {
    for (std::thread &thread : threads_)
      if (thread.joinable())
        thread.join();
  }
  void start() {
    try {
      threads_.emplace_back(workOff, work_, threads_.size());
    } catch (const std::system_error &) {
      isShort_ = true;
    }
  }
  /// Whether a thread could not be started, so that none may be left.
  bool isShort() const { return isShort_; }

  /// Requires the lock. Returns the number of cases abandoned.
  size_t abandonLateCases();

private:
  std::shared_ptr<Work> work_;
  std::vector<std::thread> threads_;
  bool isShort_ = false;
};

size_t WorkerThreads::abandonLateCases() {
  std::vector<size_t> late;
  for (const auto &[index, running] : work_->running)
    if (Clock::now() - running.start >= work_->options.caseLimit)
      late.push_back(index);
  for (size_t index : late) {
    threads_[work_->running[index].thread].detach();
    work_->running.erase(index);
    const CaseRef &ref = work_->cases[index];
    work_->finish(index, uniform(ref.file->info(ref.index), work_->options, failed("the case does not end")));
    start();
  }
  return late.size();
}

/// Time of the next check: when the oldest running case becomes late, at most caseLimit from now.
Clock::time_point nextLook(const Work &work) {
  Clock::time_point look = Clock::now() + work.options.caseLimit;
  for (const auto &[index, running] : work.running)
    look = std::min(look, running.start + work.options.caseLimit);
  return look;
}

} // namespace

CaseResult runCase(IDevice &device, const CaseRef &ref, const RunnerOptions &options) {
  const Clock::time_point start = Clock::now();
  CaseInfo info = ref.file->info(ref.index);
  if (std::string why = whySkipped(device, info); !why.empty())
    return uniform(std::move(info), options, skipped(why));
  CaseRunner runner(device, ref, BootClock::now() + options.caseLimit / 2, options);
  CaseResult result{.info = std::move(info), .runs = {}};
  for (RunKind kind : kindsOf(result.info, options))
    result.runs.push_back(runner.run(kind));
  result.milliseconds = millisecondsSince(start);
  return result;
}

RunnerResult runCases(std::shared_ptr<IDevice> device, std::vector<CaseRef> cases, const RunnerOptions &options) {
  auto work = std::make_shared<Work>();
  work->device = std::move(device);
  work->cases = std::move(cases);
  work->options = options;
  work->results.resize(work->cases.size());
  RunnerResult result;
  {
    WorkerThreads threads(work);
    for (unsigned i = 0; i < std::max(options.jobs, 1u) && !threads.isShort(); ++i)
      threads.start();
    std::unique_lock lock(work->mutex);
    while (work->done < work->cases.size()) {
      result.abandoned += threads.abandonLateCases();
      if (threads.isShort() && work->running.empty()) {
        lock.unlock();
        workOff(work, 0);
        lock.lock();
      }
      if (work->done < work->cases.size())
        work->changed.wait_until(lock, nextLook(*work));
    }
  }
  for (const auto &entry : work->results)
    result.cases.push_back(std::move(*entry));
  return result;
}

} // namespace avocet::hal::conformance
