//===- Quota.h - Limits of a client's resources -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_QUOTA_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_QUOTA_H

#include "avocet/hal/types/Result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace avocet::hal {

class Quota;

/// A part of a quota, returned by the destructor. An empty one holds nothing.
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

/// A limit and its current use. Thread-safe; charges keep it alive. Callers of take() must hold no lock, since it may
/// free memory that objects only keep for their next use.
class Quota : public std::enable_shared_from_this<Quota> {
public:
  /// `what` is named in errors: "bytes of memory". `whole`: the limit of all clients together, if any; one client gets
  /// at most as much of it as is left. A client that takes all it can thus leaves as much for others, and so do they
  /// (the dynamic thresholds of switches with shared memory: Choudhury and Hahne, 1998). After many such clients almost
  /// nothing is left. With a `share`, each client therefore has that much for itself, and only its excess comes from
  /// the whole.
  Quota(std::string what, uint64_t limit, std::shared_ptr<Quota> whole = nullptr, uint64_t share = 0)
      : what_(std::move(what)), limit_(limit), whole_(std::move(whole)), share_(share) {}

  /// ResourceExhaustedPersistent: `amount` is more than the whole limit. ResourceExhaustedTransient: more than is left,
  /// of this quota or of the whole.
  Result<Charge> take(uint64_t amount);

  /// Function that take() calls if too little is left, before it tries once more. Set before the first take().
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
  const uint64_t share_; ///< of a whole: each client's own part in addition
  std::function<void()> reclaim_;
  std::mutex mutex_; ///< for a quota with a whole: both counts change together; a leaf
  std::atomic<uint64_t> used_{0};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_QUOTA_H
