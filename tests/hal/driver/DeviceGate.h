//===- DeviceGate.h - Stops the device at the end of a job ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_DEVICEGATE_H
#define AVOCET_TESTS_HAL_DRIVER_DEVICEGATE_H

#include "avocet/firmware_iface/Profile.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace avocet::hal::testing {

/// While it is closed, it blocks the device at the end of each job: the job is not reported, and the device does no
/// other work. It maps and unmaps no memory then, so calls that need this block too. Copies are the same gate.
/// Thread-safe.
class DeviceGate {
public:
  /// For DriverOptions::profileSink.
  std::function<void(const firmware::JobProfile &)> profileSink() const {
    return [state = state_](const firmware::JobProfile &profile) { state->pass(profile.record.userData); };
  }
  void close() { state_->set(true); }
  void open() { state_->set(false); }
  /// Waits until a job has reached the closed gate.
  void awaitJob() { state_->awaitJob(); }
  /// User data of the jobs that have reached the gate, in this order.
  std::vector<uint64_t> jobs() const { return state_->all(); }
  size_t numJobs() const { return state_->all().size(); }

private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool isClosed = false;
    size_t waiting = 0;
    std::vector<uint64_t> jobs;

    void pass(uint64_t job) {
      std::unique_lock lock(mutex);
      jobs.push_back(job);
      ++waiting;
      changed.notify_all();
      changed.wait(lock, [this] { return !isClosed; });
      --waiting;
    }
    void set(bool closed) {
      std::lock_guard lock(mutex);
      isClosed = closed;
      changed.notify_all();
    }
    void awaitJob() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return waiting != 0; });
    }
    std::vector<uint64_t> all() {
      std::lock_guard lock(mutex);
      return jobs;
    }
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_DEVICEGATE_H
