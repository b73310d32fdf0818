//===- ChosenDevice.h - The device of a command line ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_CHOSENDEVICE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_CHOSENDEVICE_H

#include "avocet/base/CommandLine.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/hal/ipc/ServiceProcess.h"
#include "avocet/hal/types/Interfaces.h"

#include <functional>
#include <optional>

namespace avocet::tool {

/// The device that the command line selects.
struct DeviceChoice {
  enum class Through { Process, Service, Cpu, Nnapi };
  Through through = Through::Process;
  std::string target; ///< of a device in this process, in a service started for the run, or in the C library
  std::string socket; ///< of a running service; empty: a service is started for this run
  std::string device; ///< device of that service or of the C library; empty: the first
  /// Called for each compilation of a device in this process; its error fails the preparation (DriverOptions::inspect).
  std::function<Status(const compiler::CompileResult &, const std::string &target)> inspect;
};

/// Adds --through, --target, --socket and --device.
void addDeviceOptions(CommandLine &command, DeviceChoice &choice);

/// A device and the objects that must outlive it.
class ChosenDevice {
public:
  static Result<ChosenDevice> open(const DeviceChoice &choice);

  const std::shared_ptr<hal::IDevice> &device() const { return device_; }

  /// The same device with bursts over message queues; null: it is in this process.
  const std::shared_ptr<hal::IDevice> &queueDevice() const { return queueDevice_; }

  /// Whether it is of the C library, which chooses how bursts travel.
  bool hasOwnBursts() const { return hasOwnBursts_; }

  /// Removes files that would remain if the program ended without destructors.
  void removeTraces();

private:
  explicit ChosenDevice(ScratchDirectory scratch) : scratch_(std::move(scratch)) {}
  Status startService(const DeviceChoice &choice);
  Status openLibrary(const DeviceChoice &choice);
  Status connect(const std::string &socket, std::string device);

  ScratchDirectory scratch_;
  std::optional<hal::ServiceProcess> service_;
  std::shared_ptr<hal::IDevice> device_;
  std::shared_ptr<hal::IDevice> queueDevice_;
  bool hasOwnBursts_ = false;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_CHOSENDEVICE_H
