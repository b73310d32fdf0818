//===- Trimmable.h - Objects that keep memory for their next use -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_TRIMMABLE_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_TRIMMABLE_H

#include "avocet/hal/types/Types.h"

#include <cstddef>
#include <memory>
#include <mutex>

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

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_TRIMMABLE_H
