//===- Client.h - Devices in another process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same objects as in process, served by a driver service. When the service dies, every call that waits and every
// later one answers DeadObject.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CLIENT_H
#define AVOCET_HAL_CLIENT_H

#include "avocet/hal/Burst.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

/// How a burst's requests reach the service.
enum class BurstKind {
  Queues, ///< the message queues of HAL 1.2; as Calls if the service cannot, for want of descriptors or threads
  Calls,  ///< calls through the socket, as in AIDL: no thread of the service waits between them
};

struct ConnectOptions {
  BurstKind burst = BurstKind::Queues;
  BurstClientOptions queues; ///< for bursts of the first kind
};

/// Names of the devices of the service at a socket. DeadObject: nobody serves there.
Result<std::vector<std::string>> listDevices(const std::string &socketPath);

/// Connects to one device. InvalidArgument: the service has no device of that name.
Result<std::shared_ptr<IDevice>> connectDevice(const std::string &socketPath, const std::string &deviceName,
                                               const ConnectOptions &options = {});

} // namespace avocet::hal

#endif // AVOCET_HAL_CLIENT_H
