//===- Service.h - Devices served to other processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offers devices to clients over a socket. All clients share a device. Each has its own session, which connects to the
// device as a separate driver client (contexts, tokens, quotas of the driver); no other client can use its objects. All
// input of a client is checked, and all its resources count against its quotas. When a client disconnects, its session
// ends the client's work in flight and releases all its resources.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_SERVICE_H
#define AVOCET_HAL_SERVICE_SERVICE_H

#include "avocet/hal/burst/Burst.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/wire/Listener.h"
#include "avocet/hal/wire/Protocol.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

/// A device by name. `connect` is called once for each client that connects to it, from any thread.
struct ServedDevice {
  std::string name;
  std::function<Result<std::shared_ptr<ClientDevice>>(const ClientOptions &)> connect;
  std::function<DriverCounters()> counters; ///< empty: the device has none
  /// Called with each model that a client asks to prepare, before that, on the thread of the call. For debugging.
  std::function<void(const Model &)> modelSink = {};
};

/// The device of a driver, under the device's own name.
Result<ServedDevice> servedDevice(const std::shared_ptr<Driver> &driver);

/// Limits of what one client may have at a time. Beyond them: RESOURCE_EXHAUSTED_TRANSIENT.
struct Quotas {
  /// Connections. More wait for a place, and each user may have as many waiting as connected.
  uint32_t clients = 1024;
  /// Connections of one user. One user also gets no more than the number of free places, so that some remain for
  /// others. Only `clients` limits root and the user of the service.
  uint32_t clientsPerUser = 256;
  /// Places beyond `clients` for root and the user of the service: connections that ask for the list of devices or for
  /// totals. They are closed when they send no call for `handshakeLimit`.
  uint32_t operatorReserve = 16;
  /// A connection that sends no message during this time is closed.
  std::chrono::milliseconds handshakeLimit = std::chrono::seconds(10);
  /// Whether a user operates the service. Empty: root and the user of this process do.
  std::function<bool(const PeerCredentials &)> isOperator;
  uint32_t objects = 1024;     ///< prepared models, reusable and fenced executions, buffers, bursts
  uint32_t queueBursts = 64;   ///< of these, bursts of message queues: each has two threads and two rings
  uint32_t callsInFlight = 64; ///< calls that have not been answered
  /// Memory of the messages of such calls, also unpacked and copied, and the part that their objects keep.
  uint64_t callBytes = uint64_t(1) << 29;
  /// The same for all clients together, in addition to 1 MiB that each client always gets.
  uint64_t allCallBytes = uint64_t(1) << 31;
  uint32_t threads = 4;        ///< simultaneous calls of one client; more wait
  uint32_t descriptors = 1024; ///< that the client sent and that are still in use
  /// The same for all clients together; one client gets at most as many as are left. 0: half of this process's limit.
  uint64_t allDescriptors = 0;
  ClientQuotas client;       ///< limits in the driver
  BurstServerOptions bursts; ///< of message queues
};

/// Counters for tests and operators. The resources of a client that disconnects disappear from them within 100 ms.
struct ServiceCounters {
  uint64_t clientsNow = 0;
  uint64_t clientsEver = 0;
  uint64_t callsEver = 0;
  uint64_t objectsNow = 0; ///< of all kinds
  uint64_t buffersNow = 0;
  uint64_t burstsNow = 0;
  uint64_t descriptorsNow = 0; ///< that clients sent
  DriverCounters drivers;      ///< sums over the devices; compiler crashes and restarts: the largest of any device
};

class Service {
public:
  /// Starts to serve, in its own threads. Clients that speak none of `protocols` are refused.
  Service(std::unique_ptr<Listener> listener, std::vector<ServedDevice> devices, const Quotas &quotas = {},
          const ProtocolRange &protocols = kProtocols);

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

#endif // AVOCET_HAL_SERVICE_SERVICE_H
