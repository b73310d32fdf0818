//===- Devices.cpp - Where runs execute -----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Models.h"
#include "Run.h"
#include "avocet/base/Knobs.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/ErrorText.h"
#include "avocet/runtime/Backend.h"
#include "avocet/runtime/KernelBackend.h"
#include "avocet/runtime/LinkedBackends.h"
#include "avocet/runtime/Plugins.h"

#include <nlohmann/json.hpp>

namespace avocet::capi {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kService = "service:";

std::string placeOf(const Options &options) {
  return options.served.socket.empty() ? knobText(knobs::kSocket) : options.served.socket;
}

Status checkService(const std::string &place, const std::string &name) {
  const auto found = hal::findDevices(place, hal::kRegistryPatience);
  if (!found)
    return notFound(toString(found.error()));
  return hal::deviceIn(*found, name) ? Status::ok() : notFound(hal::absenceOf(place, name, *found));
}

Json entryOf(std::string name, const char *kind, const std::string &target = "", const std::string &problem = "") {
  return {{"name", std::move(name)}, {"kind", kind}, {"target", target}, {"problem", problem}};
}

void addServed(const std::string &place, Json &document) {
  const auto found = hal::findDevices(place, hal::kRegistryPatience);
  if (!found) {
    document["left_out"].push_back({{"name", place}, {"problem", hal::printable(found.error()).message}});
    return;
  }
  for (const hal::FoundDevice &device : found->devices)
    document["devices"].push_back(
        entryOf(std::string(kService) + device.name, "service", std::string(hal::targetIn(device.device))));
  for (const hal::LeftOut &service : found->leftOut)
    document["left_out"].push_back({{"name", service.name}, {"problem", service.why.message}});
}

std::string deviceList(const Options &options) {
  Json document = {{documents::kSchemaVersionKey, documents::kPlacesSchema},
                   {"devices", Json::array({entryOf("sim", "simulator"), entryOf("cpu", "cpu")})},
                   {"left_out", Json::array()}};
  for (const runtime::KernelNode &node : runtime::kernelNodes())
    document["devices"].push_back(entryOf("kernel:" + node.path, "kernel", node.target, node.usable.message()));
  for (const runtime::Plugin &plugin : runtime::findPlugins())
    document["devices"].push_back(
        entryOf(plugin.usable.isOk() ? plugin.name : plugin.path, "plug-in", "", plugin.usable.message()));
  addServed(placeOf(options), document);
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace

Result<std::shared_ptr<const Device>> openDevice(const std::string &name, const Options &options) {
  runtime::registerLinkedBackends();
  Device device{Device::Kind::Backend, name, name};
  if (name == "cpu") {
    device.kind = Device::Kind::Cpu;
  } else if (name.starts_with(kService)) {
    device.kind = Device::Kind::Service;
    device.part = name.substr(kService.size());
    AVOCET_RETURN_IF_ERROR(checkService(placeOf(options), device.part));
  } else if (Status known = runtime::checkBackend(name); !known.isOk()) {
    return std::move(known).withContext(fmt::format("device '{}': must be cpu, service:NAME, or a back end", name));
  }
  return std::make_shared<const Device>(std::move(device));
}

} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetDeviceOpen(const char *name, const AvocetOptions *options, AvocetDevice **device) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(device));
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    AVOCET_ASSIGN_OR_RETURN(auto opened, openDevice(name ? std::string(name) : knobText(knobs::kBackend), chosen));
    *device = table<DeviceTable>().add(std::move(opened));
    return Status::ok();
  });
}

AvocetError *avocetDeviceList(const AvocetOptions *options, AvocetReport **report) {
  return reported(report, [&]() -> Result<std::string> {
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    return deviceList(chosen);
  });
}

const char *avocetDeviceName(const AvocetDevice *device) {
  return valueOf<DeviceTable>(device, "", [](const Device &each) { return each.name.c_str(); });
}

void avocetDeviceDestroy(AvocetDevice *device) { destroy<DeviceTable>(device); }
