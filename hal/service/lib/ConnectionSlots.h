//===- ConnectionSlots.h - How many connections a user may have -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CONNECTIONSLOTS_H
#define AVOCET_HAL_SERVICE_LIB_CONNECTIONSLOTS_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace avocet::hal {

/// Slots for the connections of all users. A user gets at most its limit, and no more slots than are free: a user that
/// takes its whole share leaves as many free for others (dynamic thresholds, as client/Quota.h of the driver). The
/// operator (root and the user of the service) may take all slots, and has some in reserve. Thread-safe.
class ConnectionSlots : public std::enable_shared_from_this<ConnectionSlots> {
public:
  struct Limits {
    uint32_t total = 0;
    uint32_t perUser = 0;
    uint32_t reserve = 0; ///< of the operator, beyond `total`
  };
  /// `onFree` is called on any thread when a slot becomes free.
  explicit ConnectionSlots(const Limits &limits, std::function<void()> onFree = {})
      : limits_(limits), onFree_(std::move(onFree)) {}

  /// Freed when the last copy is destroyed.
  using Slot = std::shared_ptr<const void>;

  /// Null: no slot for this user now.
  Slot acquire(uint32_t user, bool isOperator);
  /// One of the operator's reserve, or null.
  Slot acquireReserved();

private:
  void release(uint32_t user);
  void releaseReserved();
  bool mayAcquire(uint32_t user, bool isOperator) const;

  const Limits limits_;
  const std::function<void()> onFree_;
  mutable std::mutex mutex_;           ///< guards the members below; not held while `onFree_` runs
  std::map<uint32_t, uint32_t> taken_; ///< by user; no entry is 0
  uint32_t allTaken_ = 0;
  uint32_t reserveTaken_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_CONNECTIONSLOTS_H
