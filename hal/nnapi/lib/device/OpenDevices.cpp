//===- OpenDevices.cpp - Finds the devices ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/OpenDevices.h"

#include "avocet/base/Checksum.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/Trace.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/DebugSettings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <pwd.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::nnapi {
namespace {

/// The folder of the file that holds this code; "." if the system does not tell.
std::string libraryFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&libraryFolder), &info) == 0 || info.dli_fname == nullptr)
    return ".";
  std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// From the system's table of users; empty: unknown.
std::string homeFolder() {
  passwd entry{};
  passwd *found = nullptr;
  std::array<char, 4096> text{};
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return "";
  return found->pw_dir;
}

/// Below .cache of the user's home; empty: the user has none.
std::string defaultFolder() {
  const std::string home = homeFolder();
  if (home.empty())
    return "";
  const std::string caches = home + "/.cache";
  mkdir(caches.c_str(), S_IRWXU); // fails if it is there; the driver finds other failures
  return caches + "/avocet";
}

/// The folder for the embedded driver's records about cache files: one for each target, below the knob
/// AVOCET_NNAPI_RECORDS or .cache/avocet in the user's home. Empty: there is none, so nothing is cached.
std::string recordsFolder(const std::string &target) {
  std::string folder = knobText(knobs::kNnapiRecords);
  if (folder.empty())
    folder = defaultFolder();
  if (folder.empty())
    return "";
  mkdir(folder.c_str(), S_IRWXU); // fails if it is there; the driver makes only the folder below it
  // A driver empties the records of another target, so each has its own. A target may be the path of a file.
  Fnv1a hash;
  hash.add({reinterpret_cast<const uint8_t *>(target.data()), target.size()});
  return fmt::format("{}/{:016x}", folder, hash.value());
}

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
