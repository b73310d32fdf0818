//===- IdleWatch.h - Frees memory that was not used for a while ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_IDLEWATCH_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_IDLEWATCH_H

#include "avocet/hal/types/Types.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace avocet::hal {

/// An object that keeps memory for its next use.
class Trimmable {
public:
  virtual ~Trimmable() = default;
  /// Frees pieces last used before a time; returns the number of pieces left. Called from any thread.
  virtual size_t trim(TimePoint before) = 0;
};

/// Trims an object as long as it exists, and does not keep it alive: its owner sees its memory and its charges gone
/// once it has dropped the last reference, even if another thread trims at that moment. Thread-safe.
class TrimHandle {
public:
  explicit TrimHandle(Trimmable &object) : object_(&object) {}

  /// The object's answer; 0 if it is gone.
  size_t trim(TimePoint before) {
    std::lock_guard lock(mutex_);
    return object_ != nullptr ? object_->trim(before) : 0;
  }

  /// Returns when no trim() is in progress, and none will follow. Not to be called from the object's trim().
  void release() {
    std::lock_guard lock(mutex_);
    object_ = nullptr;
  }

private:
  std::mutex mutex_;
  Trimmable *object_; ///< null: gone
};

/// Belongs to the object, as its last member: ends the use of the handle before the object loses a member.
class TrimRegistration {
public:
  explicit TrimRegistration(Trimmable &object) : handle_(std::make_shared<TrimHandle>(object)) {}
  ~TrimRegistration() { handle_->release(); }
  TrimRegistration(const TrimRegistration &) = delete;
  TrimRegistration &operator=(const TrimRegistration &) = delete;

  std::weak_ptr<TrimHandle> handle() const { return handle_; }

private:
  const std::shared_ptr<TrimHandle> handle_;
};

using Clock = std::function<TimePoint()>;

/// A thread that trims objects while any of them holds memory, and sleeps otherwise; it starts with the first object.
/// Objects, and the watch itself, may be destroyed at any time. Thread-safe.
class IdleWatch {
public:
  /// Frees memory that was not used for `timeout` by `clock`; checks twice in that time.
  IdleWatch(Duration timeout, Clock clock);
  ~IdleWatch();
  IdleWatch(const IdleWatch &) = delete;
  IdleWatch &operator=(const IdleWatch &) = delete;

  void add(std::weak_ptr<TrimHandle> object);

  /// To be called when an object holds memory again. Costs one atomic load while the thread is awake.
  void touch() {
    if (state_->isAsleep)
      wake();
  }

  /// One pass of the thread; returns the number of pieces of memory left.
  size_t sweep() { return sweep(*state_); }

  TimePoint now() const { return state_->clock(); }

private:
  struct State {
    std::mutex mutex; ///< guards objects and isEnding; not held while an object is called
    std::condition_variable changed;
    std::vector<std::weak_ptr<TrimHandle>> objects;
    bool isEnding = false;
    std::atomic<bool> isAsleep{false};
    Duration timeout;
    Clock clock;
  };
  static size_t sweep(State &state);
  static void watch(const std::shared_ptr<State> &state);
  void wake();

  const std::shared_ptr<State> state_; ///< shared with the thread
  std::mutex startMutex_;              ///< guards thread_
  std::thread thread_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_IDLEWATCH_H
