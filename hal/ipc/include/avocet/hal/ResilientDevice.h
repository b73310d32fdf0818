//===- ResilientDevice.h - A device that survives its service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices of a service that may be restarted. When the service has died, the next call connects again, with growing
// pauses, and makes anew what it needs: prepared models (from the cache files they were prepared with, if there were
// any), reusable executions, bursts, buffers. A caller keeps its objects.
//
// Nothing that may have had effects is repeated: a call that was in flight when the service died answers DeadObject,
// once; the caller decides. So does an asynchronous one, through its callback, and a fenced one: its fence goes to the
// error state. What a driver-allocated buffer held is lost: it is uninitialised again, as after a failed execution, and
// reads answer GeneralFailure until something is written. Its token stays the same.
//
// Preparations and questions are repeated, as they change nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_RESILIENTDEVICE_H
#define AVOCET_HAL_RESILIENTDEVICE_H

#include "avocet/hal/Client.h"

namespace avocet::hal {

struct ResilientOptions {
  ConnectOptions connect;
  Duration firstPause = std::chrono::milliseconds(5); ///< between attempts to connect; doubled each time
  Duration longestPause = std::chrono::milliseconds(500);
  /// How long a call without a deadline waits for the service to come back; then it answers DeadObject. A call whose
  /// deadline passes first answers MissedDeadlineTransient.
  Duration patience = std::chrono::seconds(10);
};

/// One connection to a device: the device, and whether it is known to be dead.
struct DeviceLink {
  std::shared_ptr<IDevice> device;
  std::function<bool()> isDead;
};
using DeviceConnector = std::function<Result<DeviceLink>()>;

/// Wraps whatever `connect` gives. The first connection is made at once, without waiting. A device that comes back as
/// another version is DeviceUnavailable for good: what the caller cached for it is worth nothing.
Result<std::shared_ptr<IDevice>> makeResilientDevice(DeviceConnector connect, const ResilientOptions &options = {});

/// The device of a service; errors as connectDevice().
Result<std::shared_ptr<IDevice>> connectResilientDevice(const std::string &socketPath, const std::string &deviceName,
                                                        const ResilientOptions &options = {});

} // namespace avocet::hal

#endif // AVOCET_HAL_RESILIENTDEVICE_H
