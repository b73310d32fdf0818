//===- FenceWatch.cpp - One thread that waits for all fences ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fence/FenceWatch.h"

#include "avocet/base/WorkerPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <fmt/core.h>
#include <limits>
#include <optional>
#include <set>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace avocet::hal {
namespace {

constexpr uint64_t kWakeKey = 0;

Error exhausted(std::string_view what) {
  return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("cannot wait for a fence: {}", what));
}

} // namespace

/// The waits in progress. Every watched fence has a duplicate of its descriptor, since epoll accepts a descriptor only
/// once.
class FenceWatch::State {
public:
  State(DeadlineClock clock, size_t maxFences) : clock_(std::move(clock)), maxFences_(maxFences) {}

  Outcome open();
  Result<Ticket> add(std::span<const SyncFence> fences, const OptionalTimePoint &limit, Callback callback);
  Result<Ticket> addTimer(TimePoint time, Callback callback);
  bool cancel(Ticket ticket);
  void post(std::function<void()> task);
  void end();
  size_t numFences() const;
  void run();

private:
  struct Watched {
    Ticket ticket = 0;
    FileDescriptor descriptor; ///< a duplicate, to be watched
    SyncFence fence;           ///< for its state: events alone do not show whether it failed
  };
  struct Wait {
    std::vector<uint64_t> keys; ///< of the fences that have not signaled
    OptionalTimePoint limit;
    Callback callback;
  };
  struct Ended {
    Callback callback;
    End end;
  };
  using Waits = std::unordered_map<Ticket, Wait>;

  Ticket arm(Waits::iterator wait, const OptionalTimePoint &limit, Callback callback, bool isTimer = false);
  Outcome watch(const SyncFence &fence, Ticket ticket, Wait &wait);
  void unwatch(uint64_t key);
  void remove(Waits::iterator wait);
  void finish(Waits::iterator wait, End end);
  void look(uint64_t key);
  void lookAtTimes();
  int timeout();
  bool work();
  void wake();

  const DeadlineClock clock_;
  const size_t maxFences_;
  FileDescriptor epoll_, event_;

  mutable std::mutex mutex_; ///< guards the members below; not held while a call-back or a task runs
  Waits waits_;
  std::unordered_map<uint64_t, Watched> watched_;
  std::set<std::pair<TimePoint, Ticket>> limits_;
  std::deque<Ended> ended_; ///< call-backs that are due
  std::deque<std::function<void()>> tasks_;
  uint64_t lastTicket_ = 0;
  uint64_t lastKey_ = kWakeKey;
  bool isEnding_ = false;
};

Outcome FenceWatch::State::open() {
  std::lock_guard lock(mutex_);
  if (event_.isValid())
    return success();
  FileDescriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  FileDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.isValid() || !event.isValid())
    return exhausted(std::strerror(errno));
  epoll_event wanted = {};
  wanted.events = EPOLLIN;
  wanted.data.u64 = kWakeKey;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, event.get(), &wanted) != 0)
    return exhausted(std::strerror(errno));
  epoll_ = std::move(epoll);
  event_ = std::move(event);
  return success();
}

void FenceWatch::State::wake() {
  const uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof(one));
}

Outcome FenceWatch::State::watch(const SyncFence &fence, Ticket ticket, Wait &wait) {
  if (watched_.size() >= maxFences_)
    return exhausted(fmt::format("{} fences are in use, the limit", maxFences_));
  avocet::Result<FileDescriptor> descriptor = fence.handle()->duplicate();
  if (!descriptor)
    return exhausted(descriptor.status().message());
  epoll_event wanted = {};
  wanted.events = EPOLLIN;
  wanted.data.u64 = ++lastKey_;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor->get(), &wanted) != 0)
    return exhausted(std::strerror(errno));
  watched_[lastKey_] = {ticket, std::move(*descriptor), fence};
  wait.keys.push_back(lastKey_);
  return success();
}

/// Removed explicitly: other duplicates keep the file open, so closing this one would not end the watch.
void FenceWatch::State::unwatch(uint64_t key) {
  auto found = watched_.find(key);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.descriptor.get(), nullptr);
  watched_.erase(found);
}

void FenceWatch::State::remove(Waits::iterator wait) {
  for (uint64_t key : wait->second.keys)
    unwatch(key);
  if (wait->second.limit)
    limits_.erase({*wait->second.limit, wait->first});
  waits_.erase(wait);
}

void FenceWatch::State::finish(Waits::iterator wait, End end) {
  ended_.push_back({std::move(wait->second.callback), end});
  remove(wait);
}

Result<FenceWatch::Ticket> FenceWatch::State::add(std::span<const SyncFence> fences, const OptionalTimePoint &limit,
                                                  Callback callback) {
  std::lock_guard lock(mutex_);
  auto wait = waits_.try_emplace(++lastTicket_).first;
  Outcome outcome = success();
  for (const SyncFence &fence : fences)
    if (outcome && fence.handle() != nullptr)
      outcome = watch(fence, wait->first, wait->second);
  if (!outcome) {
    remove(wait);
    return outcome.error();
  }
  return arm(wait, limit, std::move(callback));
}

Result<FenceWatch::Ticket> FenceWatch::State::addTimer(TimePoint time, Callback callback) {
  std::lock_guard lock(mutex_);
  return arm(waits_.try_emplace(++lastTicket_).first, time, std::move(callback), true);
}

/// The kernel wakes the thread for fences; wake() does for time limits and call-backs that are due.
FenceWatch::Ticket FenceWatch::State::arm(Waits::iterator wait, const OptionalTimePoint &limit, Callback callback,
                                          bool isTimer) {
  const Ticket ticket = wait->first;
  wait->second.callback = std::move(callback);
  wait->second.limit = limit;
  if (limit)
    limits_.insert({*limit, ticket});
  if (wait->second.keys.empty() && !isTimer)
    finish(wait, End::Signaled);
  if (limit || !ended_.empty())
    wake();
  return ticket;
}

bool FenceWatch::State::cancel(Ticket ticket) {
  Callback dropped; // destroyed without the lock
  std::lock_guard lock(mutex_);
  auto wait = waits_.find(ticket);
  if (wait == waits_.end())
    return false;
  dropped = std::move(wait->second.callback);
  remove(wait);
  return true;
}

void FenceWatch::State::post(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  wake();
}

void FenceWatch::State::end() {
  std::lock_guard lock(mutex_);
  isEnding_ = true;
  if (event_.isValid())
    wake();
}

size_t FenceWatch::State::numFences() const {
  std::lock_guard lock(mutex_);
  return watched_.size();
}

void FenceWatch::State::look(uint64_t key) {
  auto found = watched_.find(key);
  if (found == watched_.end()) // its wait has already ended
    return;
  auto wait = waits_.find(found->second.ticket);
  const FenceState state = found->second.fence.state();
  if (state == FenceState::Active)
    return;
  if (state == FenceState::Error)
    return finish(wait, End::Failed);
  unwatch(key);
  std::erase(wait->second.keys, key);
  if (wait->second.keys.empty())
    finish(wait, End::Signaled);
}

void FenceWatch::State::lookAtTimes() {
  while (!limits_.empty() && clock_.hasPassed(limits_.begin()->first))
    finish(waits_.find(limits_.begin()->second), End::TimedOut);
}

/// Time-out of epoll_wait() in milliseconds.
int FenceWatch::State::timeout() {
  std::lock_guard lock(mutex_);
  if (limits_.empty())
    return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(clock_.sleepUntil(limits_.begin()->first)).count();
  return static_cast<int>(std::min<int64_t>(left, std::numeric_limits<int>::max()));
}

/// Runs what is due. False: the watch has ended.
bool FenceWatch::State::work() {
  std::deque<Ended> ended;
  std::deque<std::function<void()>> tasks;
  {
    std::lock_guard lock(mutex_);
    if (isEnding_)
      return false;
    lookAtTimes();
    ended.swap(ended_);
    tasks.swap(tasks_);
  }
  for (Ended &wait : ended)
    std::exchange(wait.callback, nullptr)(wait.end); // releases its captures at once
  for (auto &task : tasks)
    std::exchange(task, nullptr)();
  return true;
}

void FenceWatch::State::run() {
  std::array<epoll_event, 64> events;
  while (work()) {
    int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout());
    std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
      uint64_t ignored = 0;
      if (events[i].data.u64 == kWakeKey)
        (void)!::read(event_.get(), &ignored, sizeof(ignored));
      else
        look(events[i].data.u64);
    }
  }
}

FenceWatch::FenceWatch(DeadlineClock clock, size_t maxFences)
    : state_(std::make_shared<State>(std::move(clock), maxFences)) {}

FenceWatch::~FenceWatch() {
  state_->end();
  joinUnlessOwn(thread_);
}

Outcome FenceWatch::start() {
  std::lock_guard lock(startMutex_);
  if (thread_.joinable())
    return success();
  AVOCET_RETURN_IF_ERROR(state_->open());
  try {
    thread_ = std::thread([state = state_] { state->run(); });
  } catch (const std::system_error &failure) {
    return exhausted(failure.what());
  }
  return success();
}

Result<FenceWatch::Ticket> FenceWatch::await(std::span<const SyncFence> fences, const OptionalTimePoint &limit,
                                             Callback callback) {
  AVOCET_RETURN_IF_ERROR(start());
  return state_->add(fences, limit, std::move(callback));
}

Result<FenceWatch::Ticket> FenceWatch::at(TimePoint time, Callback callback) {
  AVOCET_RETURN_IF_ERROR(start());
  return state_->addTimer(time, std::move(callback));
}

bool FenceWatch::cancel(Ticket ticket) { return state_->cancel(ticket); }

void FenceWatch::post(std::function<void()> task) {
  if (!start())
    return task();
  const std::shared_ptr<State> state = state_; // the task may release the watch
  state->post(std::move(task));
}

size_t FenceWatch::numFences() const { return state_->numFences(); }

} // namespace avocet::hal
