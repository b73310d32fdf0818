//===- ConnectionAcceptor.h - Which connections get a session -*- C++ -*-===//
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
//   - its user may have another slot (ConnectionSlots.h): it gets a session;
//   - its client disconnects, or sends nothing within the time for the handshake.
//
// If a user has as many queued connections as allowed, further ones are answered RESOURCE_EXHAUSTED_TRANSIENT.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CONNECTIONACCEPTOR_H
#define AVOCET_HAL_SERVICE_LIB_CONNECTIONACCEPTOR_H

#include "ConnectionSlots.h"

#include "avocet/hal/service/Service.h"

#include <atomic>
#include <chrono>
#include <list>

namespace avocet::hal {

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
