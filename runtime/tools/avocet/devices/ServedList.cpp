//===- ServedList.cpp - The devices of driver services -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedList.h"
#include "avocet/hal/types/ErrorText.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <span>

namespace avocet::tool {
namespace {

using Clock = std::chrono::steady_clock;

std::string statusName(hal::DeviceStatus status) {
  switch (status) {
  case hal::DeviceStatus::Available:
    return "available";
  case hal::DeviceStatus::Busy:
    return "busy";
  case hal::DeviceStatus::Offline:
    return "offline";
  case hal::DeviceStatus::Unknown:
    break;
  }
  return "unknown";
}

hal::Result<ServedEntry> describe(const hal::FoundDevice &found, std::chrono::milliseconds patience) {
  hal::ConnectOptions options;
  options.patience = options.answerLimit = patience;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<hal::IDevice> device, hal::connectDevice(found, options));
  ServedEntry entry{found.device,
                    found.name,
                    statusName(device->status()),
                    shown(device->versionString()),
                    std::string(hal::targetIn(found.device)),
                    {}};
  for (const hal::Extension &extension : device->supportedExtensions())
    entry.extensions.push_back(shown(extension.name));
  return entry;
}

/// Reads the totals first, so that they do not count this process as a client.
Result<ServedList> findAtSocket(const std::string &socket, std::chrono::milliseconds patience) {
  ServedService service;
  hal::Result<std::optional<hal::ServiceTotals>> totals = totalsAt(socket, patience);
  if (!totals)
    return notReached(totals.error());
  service.totals = std::move(*totals);
  hal::Result<hal::FoundDevices> found = hal::findDevices(socket, patience);
  if (!found)
    return notReached(found.error());
  for (const hal::FoundDevice &device : found->devices) {
    hal::Result<ServedEntry> entry = describe(device, patience);
    if (!entry)
      return notReached(entry.error());
    service.devices.push_back(std::move(*entry));
  }
  return ServedList{false, {std::move(service)}, {}};
}

/// The devices of one service of a registry.
hal::Result<ServedService> describeService(std::span<const hal::FoundDevice> devices,
                                           std::chrono::milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  auto left = [&] { return std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()); };
  ServedService service;
  service.name = devices.front().service;
  AVOCET_ASSIGN_OR_RETURN(service.totals, totalsAt(devices.front().socket, patience));
  for (const hal::FoundDevice &device : devices) {
    if (left().count() <= 0)
      return hal::error(hal::ErrorStatus::DeadObject, "it has not described its devices in time");
    AVOCET_ASSIGN_OR_RETURN(ServedEntry entry, describe(device, left()));
    service.devices.push_back(std::move(entry));
  }
  return service;
}

Result<ServedList> findInRegistry(const std::string &registry, std::chrono::milliseconds patience) {
  hal::Result<hal::FoundDevices> found = hal::findDevices(registry, patience);
  if (!found)
    return notReached(found.error());
  using Described = hal::Result<ServedService>;
  std::vector<std::pair<std::string, std::future<Described>>> services;
  for (auto first = found->devices.begin(); first != found->devices.end();) {
    auto last =
        std::find_if(first, found->devices.end(), [&](const auto &other) { return other.service != first->service; });
    services.emplace_back(first->service, std::async(std::launch::async | std::launch::deferred,
                                                     [group = std::span(first, last), patience] {
                                                       return describeService(group, patience);
                                                     }));
    first = last;
  }
  ServedList list{true, {}, std::move(found->leftOut)};
  for (auto &[name, service] : services) {
    Described described = service.get();
    if (described)
      list.services.push_back(std::move(*described));
    else
      list.leftOut.push_back({name, hal::printable(described.error())});
  }
  if (!list.services.empty())
    return list;
  return notFound(fmt::format("registry {} has no service that answers with a device{}; start avocetd --registry {} "
                              "--name NAME",
                              registry, hal::reasonsOf(list.leftOut), registry));
}

} // namespace

Status notReached(const hal::Error &error) { return notFound(toString(error)); }

std::string shown(const std::string &text) { return hal::printable({hal::ErrorStatus::None, text}).message; }

hal::Result<std::optional<hal::ServiceTotals>> totalsAt(const std::string &socket, std::chrono::milliseconds patience) {
  hal::Result<hal::ServiceTotals> totals = hal::readTotals(socket, patience);
  if (totals)
    return std::optional(std::move(*totals));
  if (totals.code() == hal::ErrorStatus::DeviceUnavailable)
    return std::optional<hal::ServiceTotals>();
  return totals.error();
}

const hal::DeviceTotals *ServedService::totalsOf(const ServedEntry &entry) const {
  if (!totals)
    return nullptr;
  auto found = std::ranges::find(totals->devices, entry.device, &hal::DeviceTotals::device);
  return found == totals->devices.end() ? nullptr : &*found;
}

Result<ServedList> findServed(const std::string &place, std::chrono::milliseconds patience) {
  return hal::isRegistry(place) ? findInRegistry(place, patience) : findAtSocket(place, patience);
}

} // namespace avocet::tool
