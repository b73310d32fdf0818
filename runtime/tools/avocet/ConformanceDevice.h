//===- ConformanceDevice.h - The device that vectors run on -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CONFORMANCEDEVICE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CONFORMANCEDEVICE_H

#include "avocet/base/CommandLine.h"
#include "avocet/hal/conformance/Runner.h"
#include "avocet/hal/conformance/ScratchDirectory.h"
#include "avocet/hal/conformance/ServiceProcess.h"
#include "avocet/hal/types/Interfaces.h"

#include <optional>

namespace avocet::tool {

/// The device that the command line selects.
struct DeviceChoice {
  enum class Through { Process, Service, Cpu, Nnapi };
  Through through = Through::Process;
  std::string target; ///< of a device in this process, in a service started for the run, or in the C library
  std::string socket; ///< of a running service; empty: a service is started for this run
  std::string device; ///< device of that service or of the C library; empty: the first
  /// Whether a device in this process fails preparations whose artefacts 'report' or 'explain' cannot read.
  bool explainsArtefacts = false;
};

/// Adds --through, --target, --socket and --device.
void addDeviceOptions(CommandLine &command, DeviceChoice &choice);

/// A device and the objects that must outlive it.
class ConformanceDevice {
public:
  static Result<ConformanceDevice> open(const DeviceChoice &choice);

  const std::shared_ptr<hal::IDevice> &device() const { return device_; }

  /// Bursts over message queues: to the service, or between threads of this process.
  hal::conformance::FmqBurstMaker fmqBurst() const;

  /// Removes files that would remain if the program ended without destructors.
  void removeTraces();

private:
  explicit ConformanceDevice(hal::conformance::ScratchDirectory scratch) : scratch_(std::move(scratch)) {}
  Status startService(const DeviceChoice &choice);
  Status openLibrary(const DeviceChoice &choice);
  Status connect(const std::string &socket, std::string device);

  hal::conformance::ScratchDirectory scratch_;
  std::optional<hal::conformance::ServiceProcess> service_;
  std::shared_ptr<hal::IDevice> device_;
  std::shared_ptr<hal::IDevice> queueDevice_; ///< the same, with bursts over queues; null: in process
  bool hasOwnBursts_ = false;                 ///< of the C library, which chooses how they travel
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CONFORMANCEDEVICE_H
