//===- Fence.cpp - Completion of one submission -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Fence.h"

#include "avocet/firmware_iface/Names.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace avocet::runtime {
namespace {

/// About the duration of one futex round trip: spinning longer saves no time.
constexpr int kSpins = 200;

/// Polling interval of a thread that cannot sleep until the fence is signaled.
constexpr std::chrono::milliseconds kNap{1};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

int toMilliseconds(std::chrono::nanoseconds left) {
  auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<int64_t>(milliseconds, INT32_MAX));
}

Status sleepOn(const FileDescriptor &event, std::chrono::nanoseconds time) {
  pollfd entry{event.get(), POLLIN, 0};
  if (::poll(&entry, 1, toMilliseconds(time)) < 0 && errno != EINTR)
    return errnoStatus(errno, "cannot wait for a fence");
  return Status::ok();
}

} // namespace

Fence::~Fence() { awaitSignaler(); }

void Fence::awaitSignaler() const {
  while (signaling_.load(std::memory_order_acquire))
    relax();
}

void Fence::wait() const {
  for (int i = 0; i < kSpins; ++i) {
    if (isSignaled())
      return;
    relax();
  }
  state_.wait(kArmed, std::memory_order_acquire);
}

Status Fence::waitFor(std::chrono::nanoseconds timeout) {
  auto end = std::chrono::steady_clock::now() + timeout;
  if (isSignaled())
    return Status::ok();
  Result<FileDescriptor> event = descriptor();
  while (!isSignaled()) {
    auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero())
      return {StatusCode::DeadlineExceeded, "fence: not signaled within the time limit"};
    if (event.isOk())
      AVOCET_RETURN_IF_ERROR(sleepOn(*event, left));
    else // the process has no descriptor left: poll
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kNap));
  }
  return Status::ok();
}

Result<FileDescriptor> Fence::descriptor() {
  std::lock_guard lock(mutex_);
  if (!event_.isValid()) {
    event_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event_.isValid())
      return errnoStatus(errno, "cannot create a fence descriptor");
    // First published, then checked: signal() does the reverse, so at least one of the two raises the event.
    eventFd_.store(event_.get(), std::memory_order_seq_cst);
    if (state_.load(std::memory_order_seq_cst) == kSignaled)
      raise();
  }
  return event_.duplicate();
}

Status Fence::arm(uint64_t device, ContextHandle context) {
  awaitSignaler();
  uint32_t expected = kSignaled;
  if (!state_.compare_exchange_strong(expected, kArmed, std::memory_order_acq_rel))
    return failedPrecondition("fence: the previous submission has not ended");
  lower();
  job_.store(0, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  device_.store(device, std::memory_order_release);
  cancelRequested_.store(false, std::memory_order_relaxed);
  return Status::ok();
}

void Fence::disarm() {
  device_.store(0, std::memory_order_release);
  signal(JobOutcome{});
}

void Fence::charge(std::atomic<uint64_t> &backlog, uint64_t cycles) {
  backlog_ = &backlog;
  chargedCycles_ = cycles;
  backlog.fetch_add(cycles, std::memory_order_relaxed);
}

void Fence::limit(uint64_t watchdogCycles, uint64_t predictedCycles) {
  watchdogCycles_ = watchdogCycles;
  predictedCycles_ = predictedCycles;
}

void Fence::occupy(PowerControl &power, uint32_t level) {
  power_ = &power;
  clockLevel_ = level;
}

void Fence::discharge(const JobOutcome &outcome) noexcept {
  if (auto *backlog = std::exchange(backlog_, nullptr))
    backlog->fetch_sub(chargedCycles_, std::memory_order_relaxed);
  if (auto *power = std::exchange(power_, nullptr))
    power->leave(clockLevel_, outcome);
}

Fence::Submitted Fence::submitted() const {
  return {device_.load(std::memory_order_acquire), {context_.load(std::memory_order_relaxed), job_.load()}};
}

JobReference Fence::requestCancel() {
  if (isSignaled())
    return {};
  // First stored, then loaded: the submitting thread does the reverse, so that at least one of the two cancels.
  cancelRequested_.store(true, std::memory_order_seq_cst);
  JobHandle job = job_.load(std::memory_order_seq_cst);
  return {context_.load(std::memory_order_relaxed), job};
}

void Fence::signal(const JobOutcome &outcome) noexcept {
  signaling_.store(true, std::memory_order_relaxed);
  outcome_ = outcome;
  outcome_.watchdogCycles = watchdogCycles_;
  outcome_.predictedCycles = predictedCycles_;
  discharge(outcome);
  auto callback = std::exchange(callback_, nullptr);
  state_.store(kSignaled, std::memory_order_seq_cst);
  raise();
  state_.notify_all();
  signaling_.store(false, std::memory_order_release); // no member is accessed after this
  if (callback)
    callback(outcome);
}

void Fence::raise() noexcept {
  uint64_t one = 1;
  int fd = eventFd_.load(std::memory_order_seq_cst);
  // An eventfd counts to 2^64 - 2 before a write fails; arm() resets it.
  if (fd >= 0)
    (void)!::write(fd, &one, sizeof(one));
}

void Fence::lower() noexcept {
  uint64_t count = 0;
  int fd = eventFd_.load(std::memory_order_seq_cst);
  if (fd >= 0)
    (void)!::read(fd, &count, sizeof(count));
}

namespace {

StatusCode codeOf(firmware::FaultCode fault) {
  switch (fault) {
  case firmware::FaultCode::Cancelled:
  case firmware::FaultCode::DeviceReset:
  case firmware::FaultCode::DependencyFailed:
    return StatusCode::Aborted;
  case firmware::FaultCode::DeadlineMissed:
  case firmware::FaultCode::Watchdog:
  case firmware::FaultCode::LoopTimeout:
    return StatusCode::DeadlineExceeded;
  default:
    return StatusCode::DeviceFault;
  }
}

std::string placeOf(const JobOutcome &outcome) {
  std::string place;
  if (outcome.faultEngineKind < firmware::kNumEngineKinds)
    place += fmt::format(", {} {}", titleOf(static_cast<firmware::EngineKind>(outcome.faultEngineKind)),
                         outcome.faultEngineIndex);
  if (outcome.faultSection != 0)
    place += fmt::format(", section {}", outcome.faultSection);
  if (outcome.faultCommand != firmware::kNoIndex)
    place += fmt::format(", command {}", outcome.faultCommand);
  if (outcome.faultLayer != firmware::kNoLayer)
    place += fmt::format(", layer {}", outcome.faultLayer);
  if (outcome.faultRegion != firmware::kNoIndex)
    place += fmt::format(", region {} at {:#x}", outcome.faultRegion, outcome.faultAddress);
  else if (outcome.faultAddress != 0)
    place += fmt::format(", device address {:#x}", outcome.faultAddress);
  return place;
}

/// Which limit a job of FaultCode::Watchdog exceeded.
std::string limitOf(const JobOutcome &outcome) {
  if (outcome.fault != firmware::FaultCode::Watchdog)
    return {};
  const std::string predicted =
      outcome.predictedCycles == 0 ? "no prediction" : fmt::format("predicted {} cycles", outcome.predictedCycles);
  return outcome.watchdogCycles == firmware::kDefaultWatchdog
             ? fmt::format(" ({} cycles without a yield point, {})", firmware::kIdleWatchdogCycles, predicted)
             : fmt::format(" ({} cycles for a section, {})", outcome.watchdogCycles, predicted);
}

} // namespace

Status statusOf(const JobOutcome &outcome) {
  if (outcome.state != firmware::JobState::Faulted)
    return Status::ok();
  return {codeOf(outcome.fault), fmt::format("the job ended with fault {}: {}{}{}", toString(outcome.fault),
                                             describe(outcome.fault), limitOf(outcome), placeOf(outcome))};
}

} // namespace avocet::runtime
