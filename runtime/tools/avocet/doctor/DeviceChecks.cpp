//===- DeviceChecks.cpp - Devices of the kernel and of services ----- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "avocet/base/Knobs.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/runtime/KernelBackend.h"
#include "avocet/runtime/Plugins.h"
#include "devices/ServedList.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::tool {
namespace {

bool exists(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Finding withoutKernelDevice() {
  if (exists("/sys/module/avocet"))
    return {"kernel driver", Health::Bad, "it is loaded and has no device",
            "read its messages (dmesg): they say which device it looked for"};
  return {"kernel driver", Health::Absent, "it is not loaded; the simulator does not need it",
          "for a device in this machine: modprobe avocet"};
}

Finding describeNode(const runtime::KernelNode &node) {
  if (node.usable.isOk())
    return {node.path, Health::Good, "target " + shown(node.target), ""};
  // The message of the driver's library says what to do.
  return {node.path, Health::Bad, node.usable.message(), ""};
}

Finding describePlugin(const runtime::Plugin &plugin) {
  // The message says what to do.
  if (!plugin.usable.isOk())
    return {shown(plugin.path), Health::Bad, plugin.usable.message(), ""};
  return {"back end " + plugin.name, Health::Good,
          fmt::format("{}, version {}; {} of {}", plugin.description, plugin.version, plugin.path, plugin.origin), ""};
}

Finding describeService(const ServedService &service, const std::string &place) {
  std::vector<std::string> devices;
  for (const ServedEntry &entry : service.devices)
    devices.push_back(fmt::format("{} ({}, {})", entry.name, entry.status, entry.version));
  return {service.name.empty() ? "service" : "service " + service.name, Health::Good,
          fmt::format("{}: {}", place, fmt::join(devices, ", ")), ""};
}

} // namespace

std::vector<Finding> checkKernelDevices(const std::string &folder) {
  std::vector<Finding> findings;
  for (const runtime::KernelNode &node : runtime::kernelNodes(folder))
    findings.push_back(describeNode(node));
  if (findings.empty())
    findings.push_back(withoutKernelDevice());
  return findings;
}

std::vector<Finding> checkPlugins() {
  std::vector<Finding> findings;
  for (const runtime::Plugin &plugin : runtime::findPlugins())
    findings.push_back(describePlugin(plugin));
  if (findings.empty())
    findings.push_back(
        {"plug-ins", Health::Absent, "no back end in a library of its own is listed",
         fmt::format("to use one by its name: {}=PATH, or a line in {}", knobs::kBackends.name, runtime::kPluginList)});
  return findings;
}

std::vector<Finding> checkServices(const std::string &place, std::chrono::milliseconds patience) {
  if (!exists(place))
    return {{"service", Health::Absent, fmt::format("nothing is at {}; the simulator does not need it", place),
             "to share devices between programs: avocetd --socket " + place}};
  const Result<ServedList> list = findServed(place, patience);
  if (!list)
    return {{"service", Health::Bad, list.status().message(),
             "start avocetd there, or name another socket with AVOCET_SOCKET"}};
  std::vector<Finding> findings;
  for (const ServedService &service : list->services)
    findings.push_back(describeService(service, place));
  for (const hal::LeftOut &service : list->leftOut)
    findings.push_back({"service " + service.name, Health::Bad, service.why.message, "start it again"});
  return findings;
}

} // namespace avocet::tool
