//===- Service.h - Devices served to other processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offers devices to clients over a socket. Each client has a session of its own: it opens the device anew (a context of
// its own on the device), and its objects are known to it alone. Whatever a client sends is checked; whatever it asks
// for counts against its quotas. When a client goes, its session releases everything that was its.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_H
#define AVOCET_HAL_SERVICE_H

#include "avocet/hal/Channel.h"
#include "avocet/hal/Interfaces.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

/// A device by name. `open` is called once for each client that asks for it, from any thread.
struct ServedDevice {
  std::string name;
  std::function<Result<std::shared_ptr<IDevice>>()> open;
};

/// What one client may have at a time. More is RESOURCE_EXHAUSTED_TRANSIENT; more clients wait in the socket's queue.
struct Quotas {
  uint32_t clients = 256;
  uint32_t objects = 256;      ///< prepared models and reusable executions
  uint32_t callsInFlight = 64; ///< calls that have not been answered
  uint32_t threads = 4;        ///< calls of one client that run at the same time
};

/// Counters for tests and people.
struct ServiceCounters {
  uint64_t clientsNow = 0;
  uint64_t clientsEver = 0;
  uint64_t objectsNow = 0;
  uint64_t callsEver = 0;
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
