//===- Firmware.cpp - Program of the device's control processor -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "firmware/Firmware.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

Firmware::Firmware(const Target &target, const DeviceOptions &options, const Bus &bus,
                   std::function<void(const JobProfile &)> ended)
    : target_(target), options_(options), bus_(bus), ended_(std::move(ended)), scheduler_(target),
      runner_(target, options) {}

void Firmware::fetch(uint32_t ring) {
  queue_.fetch(ring, now_, [this](uint32_t owner) { scheduler_.shares().addJob(owner); });
}

/// Completes a job that never ran and was taken out of the queue.
void Firmware::endQueued(const QueuedJob &job, const JobFault &fault) {
  const JobProfile profile = runner_.end(job, contexts_.at(job.context).mmu, now_, fault);
  queue_.ended(job, now_, true);
  scheduler_.shares().removeJob(job.owner);
  ended_(profile);
}

void Firmware::endAll(std::vector<QueuedJob> &jobs, FaultCode code) {
  for (const QueuedJob &job : jobs)
    endQueued(job, faultOf(code));
}

void Firmware::endActive(ActiveJob &job) {
  const JobProfile profile = runner_.end(job, now_);
  queue_.ended(job.queued, now_, static_cast<bool>(job.state.fault));
  scheduler_.shares().removeJob(job.queued.owner);
  ended_(profile);
}

/// Ends the suspended jobs for which isMeant() holds. True: there was at least one.
bool Firmware::endSuspended(FaultCode code, const std::function<bool(const ActiveJob &)> &isMeant) {
  std::vector<std::unique_ptr<ActiveJob>> meant;
  std::erase_if(suspended_, [&](std::unique_ptr<ActiveJob> &job) {
    if (!isMeant(*job))
      return false;
    meant.push_back(std::move(job));
    return true;
  });
  for (const std::unique_ptr<ActiveJob> &job : meant) {
    job->state.raise(faultOf(code));
    endActive(*job);
  }
  return !meant.empty();
}

/// Why a waiting job cannot run any more; None: it can.
FaultCode Firmware::doomOf(QueuedJob &job) {
  if (options_.timing && scheduler_.deadlineOf(job) <= now_)
    return FaultCode::DeadlineMissed;
  if (queue_.settle(job) != JobQueue::Readiness::Hopeless)
    return FaultCode::None;
  for (const DependencyEntry &on : job.dependencies)
    fetch(on.ring); // the bell of that ring may come after this one's
  return queue_.settle(job) == JobQueue::Readiness::Hopeless ? FaultCode::DependencyFailed : FaultCode::None;
}

/// Ends waiting jobs that cannot run: a dependency has failed, or their deadline has passed. The end of one may have
/// the same effect on the next.
void Firmware::endDoomed() {
  if (options_.timing)
    endSuspended(FaultCode::DeadlineMissed,
                 [&](const ActiveJob &job) { return scheduler_.deadlineOf(job.queued) <= now_; });
  for (FaultCode code = FaultCode::DeadlineMissed; code != FaultCode::None;) {
    code = FaultCode::None;
    QueuedJob *doomed = nullptr;
    queue_.forEachHead([&](QueuedJob &job) {
      if (!doomed && (code = doomOf(job)) != FaultCode::None)
        doomed = &job;
    });
    if (!doomed)
      return;
    const uint32_t ring = doomed->ring;
    const std::optional<QueuedJob> job = queue_.remove(doomed->context, ring, doomed->descriptor.sequence);
    endQueued(*job, faultOf(code));
    fetch(ring);
  }
}

/// Device time that a job has run.
uint64_t Firmware::timeOf(const ActiveJob &job) const {
  return defaultCyclesOf(target_.power(), job.run.elapsed(), job.clockLevel);
}

std::optional<Firmware::Choice> Firmware::choose() {
  std::optional<Choice> best;
  auto offer = [&](const QueuedJob &job, size_t suspended, uint64_t ran) {
    const Rank rank = scheduler_.rankOf(job, suspended != SIZE_MAX, ran, now_);
    if (!best || rank < best->rank)
      best = Choice{rank, scheduler_.priorityOf(job, ran, now_), suspended, job.ring};
  };
  for (size_t i = 0; i < suspended_.size(); ++i)
    offer(suspended_[i]->queued, i, timeOf(*suspended_[i]));
  queue_.forEachHead([&](QueuedJob &job) {
    if (queue_.settle(job) != JobQueue::Readiness::Ready)
      return;
    job.readySince = std::min(job.readySince, now_);
    offer(job, SIZE_MAX, 0);
  });
  return best;
}

/// Removes the chosen job from its ring or from the suspended jobs. Null: it was refused, and has ended.
std::unique_ptr<ActiveJob> Firmware::take(const Choice &choice) {
  if (choice.suspended != SIZE_MAX) {
    std::unique_ptr<ActiveJob> job = std::move(suspended_[choice.suspended]);
    suspended_.erase(suspended_.begin() + static_cast<ptrdiff_t>(choice.suspended));
    return job;
  }
  QueuedJob job = queue_.begin(choice.ring);
  fetch(choice.ring);
  JobFault fault;
  std::unique_ptr<ActiveJob> begun = runner_.begin(job, contexts_.at(job.context).mmu, now_, fault);
  if (!begun)
    endQueued(job, fault);
  return begun;
}

bool Firmware::hasJobs() {
  bool has = !suspended_.empty();
  queue_.forEachHead([&](QueuedJob &job) { has |= queue_.settle(job) != JobQueue::Readiness::Waits; });
  return has;
}

void Firmware::runNext(const std::atomic<bool> &bell, std::atomic<uint64_t> &clock, const Look &look) {
  endDoomed();
  const std::optional<Choice> choice = choose();
  if (!choice)
    return;
  interruption_ = {};
  level_ = choice->priority;
  running_ = take(*choice);
  if (!running_)
    return;
  RunWatch watch{.bell = bell,
                 .look = {},
                 .clock = options_.timing ? &clock : nullptr,
                 .ranBefore = running_->run.elapsed(),
                 .clockPercent = target_.power().levels[running_->clockLevel].clockPercent};
  watch.look = [&](uint64_t elapsed) { return attend(look, watch, elapsed); };
  const bool hasEnded = bringBack(look, watch) ? runSlice(watch) : static_cast<bool>(running_->state.fault);
  std::unique_ptr<ActiveJob> job = std::move(running_);
  if (hasEnded)
    endActive(*job);
  else
    suspended_.push_back(std::move(job));
  if (resetPending_)
    reset();
}

/// Moves evacuated bytes back to their place in SRAM. False: another job comes first, or this job has to end.
bool Firmware::bringBack(const Look &look, RunWatch &watch) {
  while (const uint64_t cycles = runner_.bringBack(*running_, suspended_)) {
    watch.origin = now_ + defaultCyclesOf(target_.power(), cycles, running_->clockLevel);
    watch.show(watch.ranBefore);
    const RunOrder order = attend(look, watch, watch.ranBefore);
    if (order.fault)
      running_->state.raise(order.fault);
    if (order.kind != RunOrder::Kind::GoOn)
      return false;
  }
  return true;
}

/// Lets the running job run. True: it has ended.
bool Firmware::runSlice(RunWatch &watch) {
  const uint64_t start = watch.origin = now_;
  const bool hasEnded = runner_.run(*running_, suspended_, now_, watch);
  const uint64_t end = watch.timeAt(running_->run.elapsed());
  if (options_.timing)
    now_ = end;
  scheduler_.shares().charge(running_->queued.owner, end - start);
  return hasEnded;
}

/// Called while a job runs: serves requests, and tests whether another job preempts it.
RunOrder Firmware::attend(const Look &look, RunWatch &watch, uint64_t elapsed) {
  if (options_.timing)
    now_ = watch.timeAt(elapsed);
  const uint64_t next = look();
  if (interruption_)
    return {resetPending_ ? RunOrder::Kind::Halt : RunOrder::Kind::End, interruption_};
  endDoomed();
  watch.lookAt = kNever;
  if (!options_.timing)
    return {};
  const std::optional<Choice> best = choose(); // first: it determines which jobs have begun to wait
  const uint64_t at = std::min(next, nextChange());
  watch.lookAt = at == kNever ? kNever : watch.elapsedAt(at, elapsed, now_);
  return {best && best->priority > level_ ? RunOrder::Kind::Preempt : RunOrder::Kind::GoOn, {}};
}

/// The next cycle in which a waiting job misses its deadline, or ranks above the running one.
uint64_t Firmware::nextChange() {
  uint64_t next = kNever;
  auto consider = [&](const QueuedJob &job, uint64_t ran) {
    next = std::min({next, scheduler_.deadlineOf(job), scheduler_.risesAbove(level_, job, ran, now_)});
  };
  for (const auto &job : suspended_)
    consider(job->queued, timeOf(*job));
  queue_.forEachHead([&](QueuedJob &job) { consider(job, 0); });
  return next;
}

void Firmware::reset() {
  resetPending_ = running_ != nullptr;
  if (resetPending_) {
    interruption_ = faultOf(FaultCode::DeviceReset);
    return;
  }
  suspended_.clear();
  queue_.clear();
  contexts_.clear();
  scheduler_.shares().clear();
  runner_.reset();
  hasGreeted_ = false;
}

} // namespace avocet::sim
