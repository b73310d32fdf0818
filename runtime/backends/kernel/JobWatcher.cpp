//===- JobWatcher.cpp - Ends of jobs from their fences -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JobWatcher.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::runtime {

namespace {

constexpr uint64_t kStop = 0; // no job's handle

JobOutcome convert(const avocet_wait &answer) {
  JobOutcome outcome;
  outcome.state = static_cast<firmware::JobState>(answer.state);
  outcome.fault = static_cast<firmware::FaultCode>(answer.fault_code);
  if (outcome.state == firmware::JobState::Faulted) {
    outcome.faultEngineKind = answer.fault_engine_kind;
    outcome.faultEngineIndex = answer.fault_engine_index;
    outcome.faultCommand = answer.fault_command;
    outcome.faultSection = answer.fault_section;
    outcome.faultLayer = answer.fault_layer;
    outcome.faultRegion = answer.fault_region;
    outcome.faultAddress = answer.fault_address;
  }
  outcome.arrivalCycle = answer.arrival_cycle;
  outcome.badIndex = {answer.index_extent, answer.index_layer, answer.index};
  outcome.startCycle = answer.start_cycle;
  outcome.endCycle = answer.end_cycle;
  static_assert(sizeof(outcome.counters) == sizeof(answer.counters));
  std::memcpy(&outcome.counters, &answer.counters, sizeof(outcome.counters));
  return outcome;
}

} // namespace

Result<std::unique_ptr<JobWatcher>> JobWatcher::create(const DrmDevice &device) {
  std::unique_ptr<JobWatcher> watcher(new JobWatcher(device));
  watcher->events_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  watcher->stop_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  epoll_event stop{.events = EPOLLIN, .data = {.u64 = kStop}};
  if (!watcher->events_.isValid() || !watcher->stop_.isValid() ||
      ::epoll_ctl(watcher->events_.get(), EPOLL_CTL_ADD, watcher->stop_.get(), &stop) != 0)
    return errnoStatus(errno, "cannot wait for fences");
  watcher->thread_ = std::thread([raw = watcher.get()] { raw->watch(); });
  return watcher;
}

JobWatcher::~JobWatcher() {
  if (!thread_.joinable())
    return;
  const uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof(one));
  thread_.join();
}

Status JobWatcher::add(JobHandle handle, KernelJob job) {
  const int fence = job.fence.get();
  std::lock_guard lock(mutex_);
  jobs_.emplace(handle, std::move(job));
  epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.u64 = handle}};
  return ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fence, &event) == 0
             ? Status::ok()
             : errnoStatus(errno, "cannot wait for a job's fence");
}

FileDescriptor JobWatcher::fenceOf(JobHandle handle) {
  std::lock_guard lock(mutex_);
  auto job = jobs_.find(handle);
  if (job == jobs_.end())
    return {};
  Result<FileDescriptor> copy = job->second.fence.duplicate();
  return copy ? std::move(*copy) : FileDescriptor();
}

std::pair<uint32_t, uint64_t> JobWatcher::numberOf(JobHandle handle) {
  std::lock_guard lock(mutex_);
  auto job = jobs_.find(handle);
  return job == jobs_.end() ? std::pair<uint32_t, uint64_t>() : std::pair(job->second.context, job->second.number);
}

JobOutcome JobWatcher::outcomeOf(const KernelJob &job) const {
  avocet_wait call{};
  call.context = job.context;
  call.job = job.number;
  if (device_.call(AVOCET_IOCTL_WAIT, call, "outcome of a job").isOk() && call.state != AVOCET_JOB_PENDING)
    return convert(call);
  JobOutcome cancelled;
  cancelled.state = firmware::JobState::Faulted;
  cancelled.fault = firmware::FaultCode::Cancelled;
  return cancelled;
}

void JobWatcher::report(JobHandle handle) {
  KernelJob job;
  {
    std::lock_guard lock(mutex_);
    auto found = jobs_.find(handle);
    if (found == jobs_.end())
      return;
    job = std::move(found->second);
    jobs_.erase(found);
    reporting_.insert(job.context);
  }
  job.log->end(handle, outcomeOf(job));
  {
    std::lock_guard lock(mutex_);
    reporting_.erase(reporting_.find(job.context));
  }
  reported_.notify_all();
}

void JobWatcher::endAll(uint32_t context) {
  std::vector<JobHandle> handles;
  {
    std::lock_guard lock(mutex_);
    for (const auto &[handle, job] : jobs_)
      if (job.context == context)
        handles.push_back(handle);
  }
  for (JobHandle handle : handles)
    report(handle);
  std::unique_lock lock(mutex_);
  reported_.wait(lock, [&] { return !reporting_.contains(context); });
}

void JobWatcher::watch() {
  std::array<epoll_event, 16> events;
  for (;;) {
    const int count = ::epoll_wait(events_.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == kStop)
        return;
      report(events[i].data.u64);
    }
  }
}

} // namespace avocet::runtime
