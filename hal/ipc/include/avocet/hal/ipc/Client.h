//===- Client.h - Devices in another process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same objects as in process, served by a driver service. When the service dies, all waiting and later calls return
// DeadObject.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_CLIENT_H
#define AVOCET_HAL_IPC_CLIENT_H

#include "avocet/hal/burst/Burst.h"
#include "avocet/hal/wire/Protocol.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

/// How a burst's requests reach the service.
enum class BurstKind {
  Queues, ///< the message queues of HAL 1.2; as Calls if the service lacks descriptors or threads
  Calls,  ///< calls through the socket, as in AIDL: no thread of the service waits between them
};

/// Longest wait for a service to accept the connection and to answer the first call. A service without a free place for
/// the client answers when one becomes free within this time.
inline constexpr std::chrono::milliseconds kConnectPatience = std::chrono::seconds(60);

struct ConnectOptions {
  BurstKind burst = BurstKind::Queues;
  BurstClientOptions queues{}; ///< for bursts of the first kind
  std::chrono::milliseconds patience = kConnectPatience;
  /// Longest wait of a later call for any answer of the service; then the connection is dead. 0: no limit, since
  /// executions have their own deadlines and may take long.
  std::chrono::milliseconds answerLimit{0};
  /// name() of the device; empty: as its service calls it. For lists of devices of several services.
  std::string shownName{};
  ProtocolRange protocols = kProtocols; ///< versions to speak
};

/// Names of the devices of the service at a socket. DeadObject: no service listens there, or it has not answered in
/// time. ResourceExhaustedTransient: it has no place for another client of this user. InvalidArgument: it speaks none
/// of the versions kProtocols; the message names both ranges. GeneralFailure: it broke the protocol.
Result<std::vector<std::string>> listDevices(const std::string &socketPath,
                                             std::chrono::milliseconds patience = kConnectPatience);

/// Connects to one device. InvalidArgument: the service has no device of that name. Other errors as listDevices().
Result<std::shared_ptr<IDevice>> connectDevice(const std::string &socketPath, const std::string &deviceName,
                                               const ConnectOptions &options = {});

} // namespace avocet::hal

#endif // AVOCET_HAL_IPC_CLIENT_H
