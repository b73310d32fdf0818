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
// Threads: every method may be called from any thread. Lock order in the runtime: no object takes a lock of its own
// while it calls the back end, except as its header says; the locks of fences are leaves.
//
// Lost device: when the back end reports DeviceLost once, status() and every later call of every object of this device
// report it, until reset() succeeds.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_DEVICE_H
#define AVOCET_RUNTIME_DEVICE_H

#include "avocet/runtime/Backend.h"

#include <atomic>
#include <memory>
#include <string_view>

namespace avocet::runtime {

class Device {
public:
  /// Opens a device through the back end "NAME" or "NAME:ARGUMENT". Errors are those of openBackend().
  static Result<std::shared_ptr<Device>> open(std::string_view backend, const BackendOptions &options);

  /// Takes a back end that is open already. Null is InvalidArgument.
  static Result<std::shared_ptr<Device>> adopt(std::unique_ptr<Backend> backend);

  const DeviceProperties &properties() const { return backend_->properties(); }
  const firmware::Target &target() const { return *properties().target; }

  /// Ok, or DeviceLost once the device is lost.
  Status status() const;

  /// Ends all jobs of all contexts (they end as Cancelled) and brings a lost device back.
  Status reset();

  /// For the other runtime objects: the back end, and a look at every status that it gives.
  Backend &backend() { return *backend_; }
  Status observe(Status status);
  template <typename T> Result<T> observe(Result<T> result) {
    if (!result.isOk())
      (void)observe(result.status());
    return result;
  }

private:
  explicit Device(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}

  std::unique_ptr<Backend> backend_;
  std::atomic<bool> lost_{false};
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_DEVICE_H
