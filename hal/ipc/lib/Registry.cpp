//===- Registry.cpp - Devices of several services ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/ipc/Registry.h"

#include "RemoteDevice.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <set>
#include <span>

namespace avocet::hal {
namespace {

constexpr char kSeparator = '@';
constexpr size_t kMostNameCharacters = 128;
using Names = Result<std::vector<std::string>>;

/// A service is asked in its own thread, or in the caller's if none can be started.
template <typename F> auto atOnce(F function) {
  return std::async(std::launch::async | std::launch::deferred, std::move(function));
}

bool isPrintable(char c) { return c >= ' ' && c <= '~'; }

/// Text of a service that is not trusted, for logs and terminals.
std::string printableText(std::string text) {
  constexpr size_t kMost = 400;
  if (text.size() > kMost)
    text = text.substr(0, kMost) + "...";
  std::ranges::replace_if(text, [](char c) { return !isPrintable(c); }, '?');
  return text;
}

bool isDeviceName(const std::string &name) {
  return !name.empty() && name.size() <= kMostNameCharacters && std::ranges::all_of(name, isPrintable) &&
         name.find(kSeparator) == std::string::npos;
}

/// Whether the names of a service's devices can be used in a list.
Outcome checkNames(const std::vector<std::string> &names) {
  if (names.size() > kMostServiceDevices)
    return generalFailure(
        fmt::format("it offers {} devices; at most {} are allowed", names.size(), kMostServiceDevices));
  for (const std::string &name : names)
    if (!isDeviceName(name))
      return generalFailure(fmt::format("its device name '{}' is not of 1 to {} printable characters without '{}'",
                                        printableText(name), kMostNameCharacters, kSeparator));
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    return generalFailure("it offers two devices of one name");
  return success();
}

Names namesOf(const RegistryEntry &entry, std::chrono::milliseconds patience) {
  if (!entry.problem.empty())
    return invalidArgument(entry.problem);
  AVOCET_ASSIGN_OR_RETURN(std::vector<std::string> names, listDevices(entry.socket, patience));
  AVOCET_RETURN_IF_ERROR(checkNames(names));
  return names;
}

void merge(FoundDevices &found, std::set<std::string> &taken, const RegistryEntry &entry, const Names &names) {
  if (!names) {
    found.leftOut.push_back({entry.name, printable(names.error())});
    return;
  }
  for (const std::string &device : *names) {
    const std::string name = taken.insert(device).second ? device : longName(device, entry.name);
    found.devices.push_back({name, device, entry.name, entry.socket});
  }
}

using Entries = std::span<const RegistryEntry>;

std::vector<std::pair<const RegistryEntry *, Names>> askAtOnce(Entries entries, std::chrono::milliseconds patience) {
  std::vector<std::future<Names>> lists;
  for (const RegistryEntry &entry : entries)
    lists.push_back(atOnce([&entry, patience] { return namesOf(entry, patience); }));
  std::vector<std::pair<const RegistryEntry *, Names>> answers;
  for (size_t i = 0; i < entries.size(); ++i)
    answers.emplace_back(&entries[i], lists[i].get());
  return answers;
}

void leaveOutRest(FoundDevices &found, Entries entries, size_t services) {
  const std::string why = services >= kMostServices
                              ? fmt::format("the registry has more than {} services", kMostServices)
                              : "it was not asked, since others took too long";
  for (const RegistryEntry &entry : entries)
    found.leftOut.push_back({entry.name, invalidArgument(why)});
}

/// Sockets of services that have ended cost a refused connection, and do not count. Silent services of one group use up
/// the patience for those after it.
Result<FoundDevices> readAll(const std::string &registry, FindPatience wanted) {
  const std::chrono::milliseconds patience = wanted.value_or(kRegistryPatience);
  AVOCET_ASSIGN_OR_RETURN(std::vector<RegistryEntry> entries, readRegistry(registry));
  const auto end = std::chrono::steady_clock::now() + patience;
  FoundDevices found;
  std::set<std::string> taken;
  size_t services = 0;
  for (auto first = entries.begin(); first != entries.end();) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const size_t asked = left.count() > 0 ? kMostServices - services : 0;
    const auto last = first + static_cast<ptrdiff_t>(std::min(asked, static_cast<size_t>(entries.end() - first)));
    if (first == last) {
      leaveOutRest(found, {first, entries.end()}, services);
      break;
    }
    for (auto &[entry, names] : askAtOnce({first, last}, left)) {
      services += names.isOk();
      merge(found, taken, *entry, names);
    }
    first = last;
  }
  return found;
}

/// The socket of a found device, if its registry still has it.
Outcome checkEntry(const FoundDevice &device) {
  if (device.service.empty())
    return success();
  const std::string registry = std::filesystem::path(device.socket).parent_path().string();
  AVOCET_RETURN_IF_ERROR(registeredSocket(registry, device.service));
  return success();
}

/// `first`: longest wait for the first connection.
Result<std::shared_ptr<IDevice>> connectResilient(const FoundDevice &device, const ResilientOptions &options,
                                                  std::chrono::milliseconds first) {
  ConnectOptions once = options.connect;
  once.patience = std::min(once.patience, std::chrono::ceil<std::chrono::milliseconds>(options.patience));
  auto connect = [device, once, patience = std::min(once.patience, first)]() mutable -> Result<DeviceLink> {
    ConnectOptions now = once;
    now.patience = std::exchange(patience, once.patience);
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IDevice> connected, connectDevice(device, now));
    auto remote = std::static_pointer_cast<ipc::RemoteDevice>(connected);
    return DeviceLink{std::move(connected), [remote] { return remote->isDead(); }};
  };
  return makeResilientDevice(std::move(connect), options);
}

/// The devices of one service, one after the other.
using Connected = std::vector<Result<std::shared_ptr<IDevice>>>;

Connected connectInTurn(std::span<const FoundDevice> devices, const ResilientOptions &options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + options.connect.patience;
  Connected connected;
  for (const FoundDevice &device : devices) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      connected.push_back(error(ErrorStatus::DeadObject, "its service took too long for its other devices"));
    else
      connected.push_back(connectResilient(device, options, left));
  }
  return connected;
}

} // namespace

Result<FoundDevices> findDevices(const std::string &place, FindPatience patience) {
  if (isRegistry(place))
    return readAll(place, patience);
  AVOCET_ASSIGN_OR_RETURN(std::vector<std::string> names, listDevices(place, patience.value_or(kConnectPatience)));
  FoundDevices found;
  for (std::string &name : names)
    found.devices.push_back({name, std::move(name), "", place});
  return found;
}

Result<FoundDevice> findDevice(const std::string &place, const std::string &name, FindPatience patience) {
  if (!isRegistry(place))
    return FoundDevice{name, name, "", place};
  if (const size_t separator = name.rfind(kSeparator); separator != std::string::npos) {
    const std::string service = name.substr(separator + 1);
    AVOCET_ASSIGN_OR_RETURN(std::string socket, registeredSocket(place, service));
    return FoundDevice{name, name.substr(0, separator), service, std::move(socket)};
  }
  AVOCET_ASSIGN_OR_RETURN(FoundDevices found, readAll(place, patience));
  if (const FoundDevice *device = deviceIn(found, name))
    return *device;
  return invalidArgument(absenceOf(place, name, found));
}

Result<std::shared_ptr<IDevice>> connectDevice(const FoundDevice &device, const ConnectOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkEntry(device));
  ConnectOptions named = options;
  named.shownName = device.name;
  return connectDevice(device.socket, device.device, named);
}

Result<std::shared_ptr<IDevice>> connectResilientDevice(const FoundDevice &device, const ResilientOptions &options) {
  return connectResilient(device, options, options.connect.patience);
}

ConnectedDevices connectResilientDevices(const std::vector<FoundDevice> &devices, const ResilientOptions &options) {
  std::vector<std::future<Connected>> services;
  for (auto first = devices.begin(); first != devices.end();) {
    auto last = std::find_if(first, devices.end(), [&](const auto &other) { return other.socket != first->socket; });
    services.push_back(atOnce([group = std::span(first, last), &options] { return connectInTurn(group, options); }));
    first = last;
  }
  ConnectedDevices all;
  auto device = devices.begin();
  for (std::future<Connected> &service : services)
    for (Result<std::shared_ptr<IDevice>> &connected : service.get()) {
      if (connected)
        all.devices.push_back(std::move(*connected));
      else
        all.leftOut.push_back({device->name, printable(connected.error())});
      ++device;
    }
  return all;
}

std::string longName(const std::string &device, const std::string &service) { return device + kSeparator + service; }

const FoundDevice *deviceIn(const FoundDevices &found, std::string_view name) {
  const auto device = std::ranges::find_if(found.devices, [&](const FoundDevice &each) {
    return each.name == name || (!each.service.empty() && longName(each.device, each.service) == name);
  });
  return device == found.devices.end() ? nullptr : &*device;
}

std::string absenceOf(const std::string &place, std::string_view name, const FoundDevices &found) {
  std::string text = fmt::format("the service at {} has no device '{}'", place, name);
  for (size_t i = 0; i < found.devices.size(); ++i)
    text += fmt::format("{} {}", i == 0 ? "; it has" : ",", found.devices[i].name);
  return text + reasonsOf(found.leftOut);
}

std::string reasonsOf(const std::vector<LeftOut> &leftOut) {
  std::string text;
  for (const LeftOut &service : leftOut)
    text += fmt::format("; service {} is left out: {}", service.name, service.why.message);
  return text;
}

Error printable(const Error &error) { return {error.code, printableText(error.message)}; }

std::string_view deviceNameIn(std::string_view name) { return name.substr(0, name.rfind(kSeparator)); }

std::string_view targetIn(std::string_view device) {
  constexpr std::string_view kPrefix = "avocet-";
  return device.starts_with(kPrefix) ? device.substr(kPrefix.size()) : std::string_view();
}

} // namespace avocet::hal
