//===- OpenDevices.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/OpenDevices.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/Trace.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/DebugSettings.h"
#include "device/LibraryFolder.h"
#include "device/RecordsFolder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace avocet::nnapi {
namespace {

using hal::IDevice;
using hal::VerboseTag;
using Devices = std::vector<std::shared_ptr<IDevice>>;

/// An application must not wait long for a service that hangs.
constexpr std::chrono::milliseconds kServicePatience = std::chrono::seconds(5);
/// How long a call waits for a service that has ended and may be restarted. Then the CPU takes over, if it may.
constexpr hal::Duration kRestartPatience = std::chrono::seconds(3);

/// The compiler's library beside this one; empty: where Loader.h looks.
std::string compilerLibrary() {
  std::string path = libraryFolder() + "/libavocetCompiler.so";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

/// By one of its names.
bool isEnabled(const hal::FoundDevice &device) {
  const DebugSettings &settings = DebugSettings::instance();
  return settings.isEnabled(device.name) ||
         (!device.service.empty() && settings.isEnabled(hal::longName(device.device, device.service)));
}

/// `place`: a service's socket, or a registry.
void addServiceDevices(const std::string &place, Devices &devices) {
  auto found = hal::findDevices(place, kServicePatience);
  if (!found) {
    const bool isRefused = found.code() == hal::ErrorStatus::InvalidArgument; // else none was started
    logMessage(isRefused ? LogLevel::Warning : LogLevel::Info, "nnapi", "no driver service at {}: {}", place,
               found.error().message);
    return;
  }
  logMessage(LogLevel::Info, "nnapi", "the devices are those of the service at {}", place);
  for (const hal::LeftOut &service : found->leftOut)
    logMessage(LogLevel::Warning, "nnapi", "service {} of the registry {} is left out: {}", service.name, place,
               service.why.message);
  hal::ResilientOptions options;
  options.connect.patience = kServicePatience;
  options.patience = kRestartPatience;
  std::erase_if(found->devices, [](const hal::FoundDevice &device) { return !isEnabled(device); });
  hal::ConnectedDevices connected = hal::connectResilientDevices(found->devices, options);
  for (const hal::LeftOut &device : connected.leftOut)
    logMessage(LogLevel::Error, "nnapi", "device {} of the service at {} is left out: {}", device.name, place,
               device.why.message);
  std::ranges::move(connected.devices, std::back_inserter(devices));
}

void addEmbeddedDevice(Devices &devices) {
  hal::DriverOptions options;
  options.target = knobText(knobs::kTarget);
  options.backend = knobText(knobs::kBackend);
  options.compilerLibrary = compilerLibrary();
  options.cacheDirectory = recordsFolder(options.target);
  options.trace = Trace::active() != nullptr;
  auto device = hal::openDevice(options);
  if (!device && !options.cacheDirectory.empty()) {
    logMessage(LogLevel::Warning, "nnapi", "nothing is cached (knob AVOCET_NNAPI_RECORDS): {}", device.error().message);
    options.cacheDirectory.clear();
    device = hal::openDevice(options);
  }
  if (device)
    logMessage(LogLevel::Info, "nnapi", "the device is {}, embedded in this process", (*device)->name());
  if (!device)
    logMessage(LogLevel::Error, "nnapi", "the embedded device {} is left out: {}", options.target,
               device.error().message);
  else if (DebugSettings::instance().isEnabled((*device)->name()))
    devices.push_back(std::move(*device));
}

void addAccelerators(Devices &devices) {
  const std::string choice = knobText(knobs::kNnapiDevices);
  if (choice != "embedded")
    addServiceDevices(knobText(knobs::kSocket), devices);
  if (choice != "service" && devices.empty())
    addEmbeddedDevice(devices);
}

} // namespace

Devices openDevices() {
  Devices devices;
  if (!DebugSettings::instance().isCpuOnly)
    addAccelerators(devices);
  if (auto cpu = hal::openCpuDevice({compilerLibrary(), recordsFolder("cpu")}))
    devices.push_back(std::move(*cpu));
  else
    logMessage(LogLevel::Error, "nnapi", "the CPU device is left out: {}", cpu.error().message);
  for (const auto &device : devices)
    hal::verbose(VerboseTag::Manager, "device {} {} ({})", device->name(), device->versionString(),
                 hal::toString(device->type()));
  return devices;
}

} // namespace avocet::nnapi
