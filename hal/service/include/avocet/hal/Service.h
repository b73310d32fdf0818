//===- Service.h - Devices served to other processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offers devices to clients over a socket. All clients share a device; each has a session of its own, which connects to
// the device as a client of its own (contexts, tokens, quotas of the driver), and its objects are known to it alone.
// Whatever a client sends is checked; whatever it asks for counts against its quotas. When a client goes, its session
// ends what it has in flight and releases everything that was its.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_H
#define AVOCET_HAL_SERVICE_H

#include "avocet/hal/Burst.h"
#include "avocet/hal/Driver.h"
#include "avocet/hal/Listener.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

/// A device by name. `connect` is called once for each client that asks for it, from any thread.
struct ServedDevice {
  std::string name;
  std::function<Result<std::shared_ptr<ClientDevice>>(const ClientOptions &)> connect;
  std::function<DriverCounters()> counters; ///< empty: it has none
};

/// A driver's device under its own name.
Result<ServedDevice> servedDevice(const std::shared_ptr<Driver> &driver);

/// What one client may have at a time. More is RESOURCE_EXHAUSTED_TRANSIENT.
struct Quotas {
  /// Connections. More wait for a place, and each user may have as many waiting as connected.
  uint32_t clients = 1024;
  /// Connections of one user. One user also gets no more than the places that are free, so that others find some. Root
  /// and the user of the service are bound by `clients` alone.
  uint32_t clientsPerUser = 256;
  /// Places beyond `clients` for root and the user of the service: connections that ask for the list of devices or for
  /// totals. They are closed when they ask nothing for `handshakeLimit`.
  uint32_t operatorReserve = 16;
  /// A connection that has sent no message for so long is closed.
  std::chrono::milliseconds handshakeLimit = std::chrono::seconds(10);
  /// Who operates the service. Empty: root, and the user of this process.
  std::function<bool(const PeerCredentials &)> isOperator;
  uint32_t objects = 1024;     ///< prepared models, reusable and fenced executions, buffers, bursts
  uint32_t queueBursts = 64;   ///< of these, bursts of message queues: each has two threads and two rings
  uint32_t callsInFlight = 64; ///< calls that have not been answered
  /// Memory that the messages of such calls take, unpacked and copied as well, and what their objects keep of it.
  uint64_t callBytes = uint64_t(1) << 29;
  /// The same for all clients together, beyond 1 MiB that each of them always gets.
  uint64_t allCallBytes = uint64_t(1) << 31;
  uint32_t threads = 4;        ///< calls of one client that run at the same time; more wait
  uint32_t descriptors = 1024; ///< that the client sent and that are still in use
  /// The same for all clients together; one client gets no more than is left. 0: half of what this process may open.
  uint64_t allDescriptors = 0;
  ClientQuotas client;       ///< what the driver grants
  BurstServerOptions bursts; ///< of message queues
};

/// Counters for tests and people. What a client that went had is gone from them 100 ms later.
struct ServiceCounters {
  uint64_t clientsNow = 0;
  uint64_t clientsEver = 0;
  uint64_t callsEver = 0;
  uint64_t objectsNow = 0; ///< of all kinds
  uint64_t buffersNow = 0;
  uint64_t burstsNow = 0;
  uint64_t descriptorsNow = 0; ///< that clients sent
  DriverCounters drivers;      ///< sums over the devices
};

class Service {
public:
  /// Serves from now on, in threads of its own.
  Service(std::unique_ptr<Listener> listener, std::vector<ServedDevice> devices, const Quotas &quotas = {});

  /// Ends all sessions; clients see DeadObject.
  ~Service();
  Service(const Service &) = delete;
  Service &operator=(const Service &) = delete;

  ServiceCounters counters() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_H
