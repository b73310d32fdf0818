//===- ResilientLink.h - Successive connections to a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_RESILIENTLINK_H
#define AVOCET_HAL_IPC_LIB_RESILIENTLINK_H

#include "avocet/hal/ipc/ResilientDevice.h"

#include <atomic>
#include <map>
#include <mutex>

namespace avocet::hal::ipc {

class ResilientBuffer;

/// The time from one connection to its end. Objects of the service belong to one epoch.
class Epoch {
public:
  Epoch(uint64_t number, DeviceLink link) : number_(number), link_(std::move(link)) {}

  uint64_t number() const { return number_; }
  IDevice &device() const { return *link_.device; }
  bool isOver() const { return over_ || link_.isDead(); }
  /// Called with the status of each call, since a call may be the first to detect the end.
  void note(ErrorStatus status) {
    if (status == ErrorStatus::DeadObject)
      over_ = true;
  }

private:
  const uint64_t number_;
  const DeviceLink link_;
  std::atomic<bool> over_{false};
};
using SharedEpoch = std::shared_ptr<Epoch>;

/// The connection of one resilient device, and the tokens of its buffers. Thread-safe.
class ResilientLink {
public:
  static Result<std::shared_ptr<ResilientLink>> create(DeviceConnector connect, const ResilientOptions &options);

  /// The device of the first epoch, for the constant properties; valid also after that epoch.
  const IDevice &description() const { return *description_; }

  /// An epoch that is not known to be over; connects if there is none. DeadObject, MissedDeadlineTransient: see
  /// ResilientOptions::patience.
  Result<SharedEpoch> epoch(const OptionalTimePoint &deadline);

  /// Repeats `call` in a new epoch while it returns DeadObject, at most kAttempts times.
  template <typename T, typename F> Result<T> repeated(const OptionalTimePoint &deadline, F call) {
    constexpr int kAttempts = 4;
    Result<T> result = error(ErrorStatus::DeadObject, "the driver service ended during each attempt of the call");
    for (int attempt = 0; attempt < kAttempts && result.code() == ErrorStatus::DeadObject; ++attempt) {
      AVOCET_ASSIGN_OR_RETURN(SharedEpoch current, epoch(deadline));
      result = call(current);
      current->note(result.code());
    }
    return result;
  }

  BufferToken addBuffer(std::weak_ptr<ResilientBuffer> buffer);
  void removeBuffer(BufferToken token);
  /// The request with the buffer tokens of this epoch.
  Result<Request> translated(const Request &request, const SharedEpoch &epoch);

private:
  ResilientLink(DeviceConnector connect, const ResilientOptions &options)
      : connect_(std::move(connect)), options_(options) {}
  Result<SharedEpoch> connectAgain(const OptionalTimePoint &deadline);
  Outcome adopt(DeviceLink link);

  const DeviceConnector connect_;
  const ResilientOptions options_;
  std::shared_ptr<IDevice> description_;
  std::timed_mutex connecting_; ///< one caller connects, the others wait for it
  std::mutex mutex_;            ///< guards the members below; locked after connecting_
  SharedEpoch epoch_;
  std::map<uint32_t, std::weak_ptr<ResilientBuffer>> buffers_;
  uint32_t nextToken_ = 1;
};

/// An object of the service that is made again in each epoch. Thread-safe; one caller makes it, the others wait.
template <typename T> class Remade {
public:
  using Made = Result<std::shared_ptr<T>>;

  Remade() = default;
  Remade(uint64_t epoch, std::shared_ptr<T> object) : epoch_(epoch), object_(std::move(object)) {}

  template <typename F> Made get(const SharedEpoch &epoch, F make) {
    std::lock_guard lock(mutex_);
    if (object_ != nullptr && epoch_ == epoch->number())
      return object_;
    Made made = make();
    if (made) {
      object_ = *made;
      epoch_ = epoch->number();
    }
    return made;
  }

private:
  std::mutex mutex_; ///< guards the members below, also while the object is made
  uint64_t epoch_ = 0;
  std::shared_ptr<T> object_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_RESILIENTLINK_H
