//===- ResilientDevice.h - A device that survives its service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices of a service that may be restarted. After the death of the service, the next call connects again, with
// growing pauses, and makes again the objects that it needs: prepared models (from the cache files they were prepared
// with, if any), reusable executions, bursts, buffers. A caller keeps its objects.
//
// Calls that may have had effects are not repeated: a call in flight when the service died returns DeadObject once, and
// the caller decides. An asynchronous call reports it through its callback; the fence of a fenced one goes to the error
// state. The contents of a driver-allocated buffer are lost: it is uninitialized again, as after a failed execution,
// and reads return GeneralFailure until it is written. Its token stays the same.
//
// Preparations and queries are repeated, as they change nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_RESILIENTDEVICE_H
#define AVOCET_HAL_IPC_RESILIENTDEVICE_H

#include "avocet/hal/ipc/Client.h"

namespace avocet::hal {

struct ResilientOptions {
  ConnectOptions connect;
  Duration firstPause = std::chrono::milliseconds(5); ///< between attempts to connect; doubled each time
  Duration longestPause = std::chrono::milliseconds(500);
  /// Longest wait of a call without a deadline for the service to return; then it returns DeadObject. A call whose
  /// deadline passes first returns MissedDeadlineTransient.
  Duration patience = std::chrono::seconds(10);
};

/// One connection to a device: the device, and whether it is known to be dead.
struct DeviceLink {
  std::shared_ptr<IDevice> device;
  std::function<bool()> isDead;
};
using DeviceConnector = std::function<Result<DeviceLink>()>;

/// Wraps the device that `connect` returns. The first connection is made at once, without waiting. A device that
/// returns with another version stays DeviceUnavailable, since the caller's cache files for it are invalid.
Result<std::shared_ptr<IDevice>> makeResilientDevice(DeviceConnector connect, const ResilientOptions &options = {});

/// The device of a service; errors as connectDevice().
Result<std::shared_ptr<IDevice>> connectResilientDevice(const std::string &socketPath, const std::string &deviceName,
                                                        const ResilientOptions &options = {});

} // namespace avocet::hal

#endif // AVOCET_HAL_IPC_RESILIENTDEVICE_H
