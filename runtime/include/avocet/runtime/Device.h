//===- Device.h - An open device --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One open device and the root of all runtime objects: Device -> Context -> {BufferMapping, Executable, Queue} -> Job.
// Each object keeps those to its left alive, so they may be released in any order.
//
// Threads: every method may be called from any thread. Lock order in the runtime: no object holds a lock of its own
// while it calls the back end, except as its header states; the locks of fences are leaves.
//
// Lost device: once the back end has reported DeviceLost, status() and every later call of every object of this device
// report it, until reset() succeeds.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_DEVICE_H
#define AVOCET_RUNTIME_DEVICE_H

#include "avocet/runtime/Backend.h"
#include "avocet/runtime/PowerControl.h"

#include <array>
#include <atomic>
#include <memory>
#include <string_view>

namespace avocet::runtime {

class Device {
public:
  /// Opens a device through the back end "NAME" or "NAME:ARGUMENT". Errors are those of openBackend().
  static Result<std::shared_ptr<Device>> open(std::string_view backend, const BackendOptions &options);

  /// Takes ownership of an open back end. InvalidArgument for null.
  static Result<std::shared_ptr<Device>> adopt(std::unique_ptr<Backend> backend);

  const DeviceProperties &properties() const { return backend_->properties(); }
  const firmware::Target &target() const { return *properties().target; }

  /// Ok, or DeviceLost once the device is lost.
  Status status() const;

  /// Ends the running job (with FaultCode::DeviceReset) and restores a lost device. All other state stays: queued jobs
  /// run afterwards, preempted ones from their start.
  Status reset();

  /// See Backend::finish().
  Status finish() { return backend_->finish(); }

  /// Ends a job, named by Fence::submitted(), at its next yield point if it runs. No effect on a job that has ended.
  /// Does not wait.
  Status cancel(JobReference job) { return observe(backend_->cancel(job.context, job.job)); }

  /// Predicted device time, in cycles of the default clock (by the compiler, at the jobs' levels), of all
  /// jobs of at least this priority that were submitted and have not ended. A snapshot; jobs without a prediction do
  /// not count.
  uint64_t backlogCycles(uint32_t priority) const;

  /// Clock levels, idle states and energy.
  PowerControl &power() { return power_; }

  /// Never 0; unique in this process.
  uint64_t id() const { return id_; }

  /// For the other runtime objects: the backlog of one priority (at most kMaxPriority).
  std::atomic<uint64_t> &backlogOf(uint32_t priority) { return backlog_[priority]; }
  /// For the other runtime objects: the back end; observe() notes DeviceLost in a status that the back end returned.
  Backend &backend() { return *backend_; }
  Status observe(Status status);
  template <typename T> Result<T> observe(Result<T> result) {
    if (!result.isOk())
      (void)observe(result.status());
    return result;
  }

private:
  explicit Device(std::unique_ptr<Backend> backend);

  const uint64_t id_;
  // Until backend_, so that they outlive the back end, whose destructor ends jobs.
  std::array<std::atomic<uint64_t>, firmware::kMaxPriority + 1> backlog_{}; ///< by priority
  PowerControl power_;
  std::unique_ptr<Backend> backend_;
  std::atomic<bool> lost_{false};
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_DEVICE_H
