//===- ChosenDevice.cpp - The device of a command line --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChosenDevice.h"

#include "Commands.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/hal/capi/CapiDevice.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Registry.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace avocet::tool {
namespace {

using hal::ServiceProcess;

Status statusOf(const hal::Error &error) { return internalError(error.message); }

std::string targetOf(const DeviceChoice &choice) {
  return choice.target.empty() ? knobText(knobs::kTarget) : choice.target;
}

hal::Result<std::shared_ptr<hal::IDevice>> openInProcess(const DeviceChoice &choice, const std::string &records) {
  if (choice.through == DeviceChoice::Through::Cpu)
    return hal::openCpuDevice({.compilerLibrary = "", .cacheDirectory = records});
  hal::DriverOptions driver;
  driver.cacheDirectory = records;
  driver.target = targetOf(choice);
  driver.backend = knobText(knobs::kBackend);
  if (choice.inspect)
    driver.inspect = [inspect = choice.inspect, target = driver.target](const compiler::CompileResult &result) {
      return inspect(result, target);
    };
  return hal::openDevice(driver);
}

Status checkChoice(const DeviceChoice &choice) {
  using Through = DeviceChoice::Through;
  const bool hasSeveral = !choice.socket.empty() || choice.through == Through::Nnapi;
  if (!choice.device.empty() && !hasSeveral)
    return invalidArgument("--device needs --socket or --through nnapi: there is only one device otherwise");
  if (!choice.socket.empty() && choice.through == Through::Cpu)
    return invalidArgument("--socket and --through cpu exclude each other: the CPU device is in this process");
  return Status::ok();
}

/// In the build and the installation beside the folder of the program, else where the dynamic linker looks.
std::string nnapiLibrary() {
  constexpr const char *kName = "libneuralnetworks.so";
  const std::string path = programBeside(std::string("../lib/") + kName);
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : kName;
}

void setKnob(const Knob &knob, const std::string &value) { ::setenv(std::string(knob.name).c_str(), value.c_str(), 1); }

} // namespace

void addDeviceOptions(CommandLine &command, DeviceChoice &choice) {
  using Through = DeviceChoice::Through;
  addChoice(
      command, "--through", choice.through,
      "process: the driver in this process (default); service: a driver service, started for this run unless "
      "--socket names one; cpu: NNAPI's reference device on the CPU; nnapi: the C library libneuralnetworks.so, with "
      "the driver in this process or the service of --socket",
      {{"process", Through::Process}, {"service", Through::Service}, {"cpu", Through::Cpu}, {"nnapi", Through::Nnapi}});
  CommandOption target = command.addText("-t,--target", choice.target, kTargetHelp);
  CommandOption socket = command.addText(
      "--socket", choice.socket, "Where a driver service listens, or a registry; implies --through service or nnapi");
  socket.excludes(target);
  command.addText("--device", choice.device,
                  "One of the devices of the service, see 'avocet devices', or of the C library, for example "
                  "nnapi-reference; default: the first");
}

Result<ChosenDevice> ChosenDevice::open(const DeviceChoice &choice) {
  AVOCET_RETURN_IF_ERROR(checkChoice(choice));
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory scratch, ScratchDirectory::make());
  ChosenDevice made(std::move(scratch));
  if (choice.through == DeviceChoice::Through::Nnapi) {
    AVOCET_RETURN_IF_ERROR(made.openLibrary(choice));
  } else if (!choice.socket.empty()) {
    AVOCET_RETURN_IF_ERROR(made.connect(choice.socket, choice.device));
  } else if (choice.through == DeviceChoice::Through::Service) {
    AVOCET_RETURN_IF_ERROR(made.startService(choice));
  } else {
    auto device = openInProcess(choice, made.scratch_.path());
    if (!device)
      return statusOf(device.error());
    made.device_ = std::move(*device);
  }
  return made;
}

/// The C library knows no arguments: an application configures it by its environment.
Status ChosenDevice::openLibrary(const DeviceChoice &choice) {
  setKnob(knobs::kNnapiDevices, choice.socket.empty() ? "embedded" : "service");
  if (!choice.socket.empty())
    setKnob(knobs::kSocket, choice.socket);
  setKnob(knobs::kTarget, targetOf(choice));
  setKnob(knobs::kNnapiRecords, scratch_.path());
  // The library logs each refused call as a warning, and many cases want a refusal.
  ::setenv(std::string(knobs::kLog.name).c_str(), "error", 0);
  auto device = hal::openCapiDevice({.library = nnapiLibrary(), .device = choice.device});
  if (!device)
    return statusOf(device.error());
  device_ = std::move(*device);
  hasOwnBursts_ = true;
  return Status::ok();
}

Status ChosenDevice::startService(const DeviceChoice &choice) {
  const std::string socket = scratch_.path() + "/socket";
  auto service = ServiceProcess::start(programBeside("avocetd"), socket,
                                       {"--target", targetOf(choice), "--cache-dir", scratch_.path()});
  if (!service)
    return service.status();
  service_.emplace(std::move(*service));
  return connect(socket, "");
}

Status ChosenDevice::connect(const std::string &socket, std::string device) {
  if (device.empty()) {
    auto all = hal::findDevices(socket);
    if (!all)
      return statusOf(all.error());
    if (all->devices.empty())
      return notFound(fmt::format("the service at {} has no devices", socket));
    device = all->devices.front().name;
  }
  auto found = hal::findDevice(socket, device);
  if (!found)
    return statusOf(found.error());
  auto calls = hal::connectDevice(*found, {.burst = hal::BurstKind::Calls});
  auto queues = hal::connectDevice(*found, {.burst = hal::BurstKind::Queues});
  if (!calls || !queues)
    return statusOf((calls ? queues : calls).error());
  device_ = std::move(*calls);
  queueDevice_ = std::move(*queues);
  return Status::ok();
}

void ChosenDevice::removeTraces() {
  if (service_)
    service_->kill();
  scratch_.remove();
}

} // namespace avocet::tool
