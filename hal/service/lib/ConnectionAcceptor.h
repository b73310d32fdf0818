//===- ConnectionAcceptor.h - Which connections get a session ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread accepts connections and keeps them in a queue until they have sent their first message and a connection
// slot is free. A queued connection costs a descriptor and no thread. It leaves the queue when
//
//   - it requests the list of devices or totals, and comes from the operator: it gets a slot of the reserve;
//   - its user may have another slot (ConnectionAcceptor.h): it gets a session;
//   - its client disconnects, or sends nothing within the time for the handshake.
//
// If a user has as many queued connections as allowed, further ones are answered RESOURCE_EXHAUSTED_TRANSIENT.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CONNECTIONACCEPTOR_H
#define AVOCET_HAL_SERVICE_LIB_CONNECTIONACCEPTOR_H

#include "avocet/hal/service/Service.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
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

/// A connection that gets a session.
struct AcceptedConnection {
  std::unique_ptr<Channel> channel;
  ConnectionSlots::Slot slot; ///< to be kept as long as any part of the connection exists
  bool isQueryOnly = false;   ///< in the operator's reserve: may request lists and totals, but not connect to a device
};

class ConnectionAcceptor {
public:
  using Admit = std::function<void(AcceptedConnection)>;
  /// `admit` is called on the thread of run().
  ConnectionAcceptor(std::unique_ptr<Listener> listener, const Quotas &quotas, Admit admit);

  /// Runs until close().
  void run();
  /// Any thread.
  void close();

private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::unique_ptr<Channel> channel;
    uint32_t user = 0;
    bool isOperator = false;
    ConnectionSlots::Slot queueSlot;
    Clock::time_point deadline;
    bool hasMessage = false;
    bool isQuery = false; ///< its first message requests lists or totals
  };

  void wait();
  int timeoutMs() const;
  bool update(Waiting &waiting, int16_t events);
  void acceptAll();
  void enqueue(std::unique_ptr<Channel> channel);
  void admitAll();

  const std::unique_ptr<Listener> listener_;
  const Quotas quotas_;
  const Admit admit_;
  const std::shared_ptr<const FileDescriptor> wake_; ///< an eventfd: a slot is free, or close() was called
  std::atomic<bool> isClosed_ = false;
  std::shared_ptr<ConnectionSlots> slots_, queueSlots_;
  std::list<Waiting> waiting_;      ///< in order of arrival
  Clock::time_point acceptAgain_{}; ///< out of descriptors or memory: do not accept before
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_CONNECTIONACCEPTOR_H
