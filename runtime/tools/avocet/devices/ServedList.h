//===- ServedList.h - The devices of driver services -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_SERVEDLIST_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_SERVEDLIST_H

#include "avocet/base/Status.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/Registry.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace avocet::tool {

struct ServedEntry {
  std::string device; ///< as its service calls it
  std::string name, status, version, target;
  std::vector<std::string> extensions;
};

struct ServedService {
  std::string name;                         ///< in the registry; empty: the place is a socket
  std::optional<hal::ServiceTotals> totals; ///< nothing: this process may not read them
  std::vector<ServedEntry> devices;

  /// Null: there are none, or this process may not read them.
  const hal::DeviceTotals *totalsOf(const ServedEntry &entry) const;
};

struct ServedList {
  bool isRegistry = false;
  std::vector<ServedService> services;
  std::vector<hal::LeftOut> leftOut; ///< services of a registry
};

/// The Status of a tool for an error of the HAL: NotFound, with the code in the message.
Status notReached(const hal::Error &error);

/// A text of a service, which may send any bytes, for a terminal.
std::string shown(const std::string &text);

/// The totals of the service at a socket; nothing: this process may not read them. It waits at most `patience`.
hal::Result<std::optional<hal::ServiceTotals>> totalsAt(const std::string &socket, std::chrono::milliseconds patience);

/// Asks the service at a socket, or all of a registry at the same time. Each query waits at most `patience`, and all
/// for one service of a registry together. NotFound: no service answers.
Result<ServedList> findServed(const std::string &place, std::chrono::milliseconds patience);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEVICES_SERVEDLIST_H
