//===- ObservedBackend.h - A back end that tells a test what passes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_OBSERVEDBACKEND_H
#define AVOCET_TESTS_HAL_DRIVER_OBSERVEDBACKEND_H

#include "avocet/runtime/Backend.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace avocet::hal::testing {

/// What the driver asked of the device. Thread-safe.
class Observer {
public:
  struct Seen {
    uint32_t priority = 0;
    size_t numDependencies = 0;
    std::optional<std::chrono::nanoseconds> deadline;
  };

  Observer() = default;
  /// Waits until the device is closed: a thread of the driver may use it after the driver's last owner has gone.
  ~Observer();

  /// Changes submissions on their way; set while none is under way.
  std::function<void(runtime::Submission &)> edit;

  void opened();
  void closed();
  /// Gives the submission its number, from 1, as user data.
  void see(runtime::Submission &submission);
  /// The device has one more.
  void submitted();
  /// The device was asked to end one.
  void cancelled();
  std::vector<Seen> submissions() const;
  /// Until the device has had so many.
  void awaitSubmissions(size_t count);
  void awaitCancellations(size_t count);

  /// The device below, between the opening and the end of the driver's device.
  runtime::Backend *device = nullptr;

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Seen> seen_;
  size_t numOpen_ = 0;
  size_t numSubmitted_ = 0;
  size_t numCancelled_ = 0;
};

/// Makes "sim" known under a name of its own, which is returned; the observer outlives the device.
std::string observedBackend(Observer &observer);

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_OBSERVEDBACKEND_H
