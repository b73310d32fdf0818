//===- Client.h - Devices in another process --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same objects as in process, served by a driver service. When the service dies, or answers no more
// (LivenessOptions), all waiting and later calls return DeadObject.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_CLIENT_H
#define AVOCET_HAL_IPC_CLIENT_H

#include "avocet/hal/burst/Burst.h"
#include "avocet/hal/wire/Protocol.h"
#include "avocet/hal/wire/ServiceTotals.h"

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

/// How a client detects that a service with an open connection answers no more. While a call waits, or the fence of a
/// fenced execution is active, and nothing has arrived for an interval, the client asks the service for a sign of life.
/// Without any message in the `misses` intervals after the question, the connection ends as if the service had died,
/// and fences of its executions go to the error state. A call ends (2 + misses) intervals after it at the latest.
struct LivenessOptions {
  std::chrono::milliseconds interval = std::chrono::seconds(5); ///< 0: such a service is not detected
  uint32_t misses = 4;
  /// For services of versions below kPingProtocol, whose sign is the answer to a call: it waits while all threads for
  /// the client perform other calls, which may rightly be long.
  uint32_t missesOfOldServices = 120;
};

struct ConnectOptions {
  BurstKind burst = BurstKind::Queues;
  BurstClientOptions queues{}; ///< for bursts of the first kind
  std::chrono::milliseconds patience = kConnectPatience;
  /// Longest wait of a later call for any message of the service; then the connection is dead. 0: no limit but
  /// `liveness`, since compilations and executions may take long. For short queries.
  std::chrono::milliseconds answerLimit{0};
  LivenessOptions liveness{};
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

/// Reads the totals of the service at a socket. Errors as listDevices(); DeviceUnavailable: the service does not give
/// totals to the user of this process. The service reserves places for this query, so it is answered even when all
/// clients' places are taken.
Result<ServiceTotals> readTotals(const std::string &socketPath, std::chrono::milliseconds patience = kConnectPatience);

} // namespace avocet::hal

#endif // AVOCET_HAL_IPC_CLIENT_H
