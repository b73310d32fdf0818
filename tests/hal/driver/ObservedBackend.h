//===- ObservedBackend.h - A back end that records submissions --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_OBSERVEDBACKEND_H
#define AVOCET_TESTS_HAL_DRIVER_OBSERVEDBACKEND_H

#include "avocet/runtime/Backend.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace avocet::hal::testing {

/// Records the driver's calls of the device. Thread-safe.
class Observer {
public:
  struct Seen {
    uint32_t priority = 0;
    size_t numDependencies = 0;
    std::optional<std::chrono::nanoseconds> deadline;
  };

  Observer() = default;
  /// Waits until the device is closed: a thread of the driver may use it after the driver's last owner is gone.
  ~Observer();

  /// Changes each submission before the device gets it; set only while no submission is in progress.
  std::function<void(runtime::Submission &)> edit;

  void opened();
  void closed();
  /// Gives the submission its number, from 1, as user data.
  void see(runtime::Submission &submission);
  /// Called after each submission to the device.
  void submitted();
  /// Called after each cancellation of a job.
  void cancelled();
  std::vector<Seen> submissions() const;
  /// Waits until the device has had this many submissions.
  void awaitSubmissions(size_t count);
  void awaitCancellations(size_t count);

  /// Of all buffers that were made in the device's memory.
  std::atomic<uint64_t> createdBytes = 0;

  /// The observed device; valid while the driver's device is open.
  runtime::Backend *device = nullptr;

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Seen> seen_;
  size_t numOpen_ = 0;
  size_t numSubmitted_ = 0;
  size_t numCancelled_ = 0;
};

/// Registers "sim" with an observer under a new name, which it returns. The observer must outlive the device.
std::string observedBackend(Observer &observer);

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_OBSERVEDBACKEND_H
