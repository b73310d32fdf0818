//===- Door.h - Which connections get a session -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread accepts connections and keeps them in a waiting room until they have sent their first message and have a
// place. A waiting connection costs a descriptor and no thread. It leaves the room when
//
//   - it requests the list of devices or totals, and comes from the operator: it gets a place of the reserve;
//   - its user has a place for it (Places.h): it gets a session;
//   - its client disconnects, or sends nothing within the time for the handshake.
//
// If a user has as many waiting connections as allowed, further ones are answered RESOURCE_EXHAUSTED_TRANSIENT.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_DOOR_H
#define AVOCET_HAL_SERVICE_LIB_DOOR_H

#include "Places.h"

#include "avocet/hal/service/Service.h"

#include <atomic>
#include <chrono>
#include <list>

namespace avocet::hal {

/// A connection that gets a session.
struct Visitor {
  std::unique_ptr<Channel> channel;
  Places::Place place;      ///< to be kept as long as any part of the connection exists
  bool isQueryOnly = false; ///< in the operator's reserve: may request lists and totals, but not connect to a device
};

class Door {
public:
  using Admit = std::function<void(Visitor)>;
  /// `admit` is called on the thread of run().
  Door(std::unique_ptr<Listener> listener, const Quotas &quotas, Admit admit);

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
    Places::Place room; ///< in the waiting room
    Clock::time_point deadline;
    bool hasSpoken = false;
    bool isQuery = false; ///< its first message requests lists or totals
  };

  void wait();
  int timeoutMs() const;
  bool update(Waiting &waiting, int16_t events);
  void acceptAll();
  void letIn(std::unique_ptr<Channel> channel);
  void admitAll();

  const std::unique_ptr<Listener> listener_;
  const Quotas quotas_;
  const Admit admit_;
  const std::shared_ptr<const FileDescriptor> wake_; ///< an eventfd: a place is free, or the door closes
  std::atomic<bool> isClosed_ = false;
  std::shared_ptr<Places> places_, room_;
  std::list<Waiting> waiting_;      ///< in order of arrival
  Clock::time_point acceptAgain_{}; ///< out of descriptors or memory: do not accept before
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_DOOR_H
