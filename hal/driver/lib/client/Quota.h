//===- Quota.h - What a client may have of one thing ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_QUOTA_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_QUOTA_H

#include "avocet/hal/Result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace avocet::hal {

class Quota;

/// A part of a quota that goes back with the object. An empty one holds nothing.
class Charge {
public:
  Charge() = default;
  ~Charge() { release(); }
  Charge(Charge &&other) noexcept : quota_(std::move(other.quota_)), amount_(std::exchange(other.amount_, 0)) {}
  Charge &operator=(Charge &&other) noexcept;

  uint64_t amount() const { return amount_; }
  void release();

private:
  friend class Quota;
  Charge(std::shared_ptr<Quota> quota, uint64_t amount) : quota_(std::move(quota)), amount_(amount) {}

  std::shared_ptr<Quota> quota_;
  uint64_t amount_ = 0;
};

/// A limit, and how much of it is in use. Thread-safe; charges keep it alive. Whoever takes something holds no lock:
/// what is only kept for its next use may be freed for it.
class Quota : public std::enable_shared_from_this<Quota> {
public:
  /// `what` is named in errors: "bytes of memory". `whole` is what all clients have together, if it is limited too: of
  /// it one may have no more than is left. So, whoever takes all it gets leaves as much for others, who leave as much
  /// again (the dynamic thresholds of switches with shared memory: Choudhury and Hahne, 1998). After many have done
  /// that, next to nothing is left: of a whole with a `share`, each client has that much for itself, and only what
  /// exceeds it comes from the whole.
  Quota(std::string what, uint64_t limit, std::shared_ptr<Quota> whole = nullptr, uint64_t share = 0)
      : what_(std::move(what)), limit_(limit), whole_(std::move(whole)), share_(share) {}

  /// ResourceExhaustedPersistent: `amount` is more than the whole limit. ResourceExhaustedTransient: more than is left,
  /// here or for all.
  Result<Charge> take(uint64_t amount);

  /// What take() calls when it finds too little left, before it tries once more. Set before the first take().
  void setReclaim(std::function<void()> reclaim) { reclaim_ = std::move(reclaim); }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t limit() const { return limit_; }

private:
  friend class Charge;
  bool tryTake(uint64_t amount);
  bool tryTakeAlone(uint64_t amount);
  uint64_t partOfWhole(uint64_t used) const;
  void giveBack(uint64_t amount);
  Error refusal(uint64_t amount) const;

  const std::string what_;
  const uint64_t limit_;
  const std::shared_ptr<Quota> whole_;
  const uint64_t share_; ///< of a whole: what each client has besides
  std::function<void()> reclaim_;
  std::mutex mutex_; ///< of a quota with a whole: what it has of both changes together; a leaf
  std::atomic<uint64_t> used_{0};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_QUOTA_H
