//===- Registry.h - Devices of several services -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The devices at a *place*: the socket of one service, or a registry, the folder of the sockets of several
// (avocet/hal/wire/Registry.h). The services of a registry are asked at the same time. One that has ended, does not
// answer or breaks the protocol is left out, with the reason, and neither delays nor changes the others.
//
// Names: the device that the service SERVICE calls DEVICE is always found as DEVICE@SERVICE. In the list of a registry,
// it is named DEVICE if no service before it offers one of that name, in byte order of the services' names; else
// DEVICE@SERVICE. Only services that answer count. A client that must not be moved to another service uses the long
// name.
//
// Any thread may call any function.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_REGISTRY_H
#define AVOCET_HAL_IPC_REGISTRY_H

#include "avocet/hal/ipc/ResilientDevice.h"
#include "avocet/hal/wire/Registry.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::hal {

/// Most devices of one service in a registry.
inline constexpr size_t kMostServiceDevices = 256;

/// A device, and where it is.
struct FoundDevice {
  std::string name;    ///< unique among the devices of the place
  std::string device;  ///< the name that its service gives it
  std::string service; ///< empty: the place is a socket
  std::string socket;  ///< of its service
};

/// A service or device that is left out.
struct LeftOut {
  std::string name; ///< of the service (its entry in the registry) or of the device
  Error why;        ///< printable, on one line
};

struct FoundDevices {
  std::vector<FoundDevice> devices; ///< services in byte order of their names, each with its own order
  std::vector<LeftOut> leftOut;     ///< empty for a socket
};

/// Longest wait for each service; nothing: kConnectPatience for a socket, kRegistryPatience in a registry.
using FindPatience = std::optional<std::chrono::milliseconds>;
inline constexpr std::chrono::milliseconds kRegistryPatience = std::chrono::seconds(10);

/// The devices at a place. InvalidArgument: the registry is not trusted. For a socket: errors as listDevices().
Result<FoundDevices> findDevices(const std::string &place, FindPatience patience = {});

/// One device by its name at the place. InvalidArgument: there is none; the message lists those that exist and the
/// services that were left out. Asks no service for a long name or at a socket, so that connecting may still fail.
Result<FoundDevice> findDevice(const std::string &place, const std::string &name, FindPatience patience = {});

/// Connects to a found device, under its name at the place. Looks at its entry in the registry again. Errors as those
/// of Client.h and ResilientDevice.h.
Result<std::shared_ptr<IDevice>> connectDevice(const FoundDevice &device, const ConnectOptions &options = {});
Result<std::shared_ptr<IDevice>> connectResilientDevice(const FoundDevice &device,
                                                        const ResilientOptions &options = {});

struct ConnectedDevices {
  std::vector<std::shared_ptr<IDevice>> devices; ///< in the order of the argument
  std::vector<LeftOut> leftOut;                  ///< devices that could not be connected
};

/// Connects to all of them, to those of different services at the same time. All devices of one service together get
/// `options.connect.patience`.
ConnectedDevices connectResilientDevices(const std::vector<FoundDevice> &devices, const ResilientOptions &options = {});

/// DEVICE@SERVICE.
std::string longName(const std::string &device, const std::string &service);

/// The device of a short or long name; null: there is none. Points into `found`.
const FoundDevice *deviceIn(const FoundDevices &found, std::string_view name);

/// The message for a name that no device at a place has: which devices there are, and which services were left out.
std::string absenceOf(const std::string &place, std::string_view name, const FoundDevices &found);

/// "; service NAME is left out: REASON" for each; empty for none.
std::string reasonsOf(const std::vector<LeftOut> &leftOut);

/// A service's error, its message on one line, bounded and printable: for logs and terminals.
Error printable(const Error &error);

/// The name that its service gives a device: the part of a long name before '@', or the whole of a short one.
std::string_view deviceNameIn(std::string_view name);

/// The target in the name that a service gives a device ("avocet-TARGET"); empty: the name has another form.
std::string_view targetIn(std::string_view device);

} // namespace avocet::hal

#endif // AVOCET_HAL_IPC_REGISTRY_H
