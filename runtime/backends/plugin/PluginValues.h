//===- PluginValues.h - Values of the plug-in table and of the runtime --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between the structs of BackendPlugin.h and those of Backend.h, in both directions. What comes from the other
// side is not trusted: sizes are checked, and members beyond them are 0.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINVALUES_H
#define AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINVALUES_H

#include "avocet/runtime/Backend.h"
#include "avocet/runtime/BackendPlugin.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace avocet::runtime::plugin {

/// The part of a struct that the other side has, the rest 0. `size` is not larger than that of the struct.
template <typename Struct> Struct readSized(const Struct *foreign) {
  Struct own{};
  std::memcpy(&own, foreign, std::min<size_t>(foreign->size, sizeof(Struct)));
  own.size = std::min<uint32_t>(foreign->size, sizeof(Struct));
  return own;
}

/// Writes the part that the other side has room for, which its `size` says.
template <typename Struct> void writeSized(Struct own, Struct *foreign) {
  own.size = std::min<uint32_t>(foreign->size, sizeof(Struct));
  std::memcpy(foreign, &own, own.size);
}

constexpr uint32_t flagIf(bool isSet, uint32_t flag) { return isSet ? flag : 0; }

AvocetBackendOutcome toPlugin(const JobOutcome &outcome);

/// A state or index that the contract does not know becomes a hardware error, or kNoIndex.
JobOutcome fromPlugin(const AvocetBackendOutcome &outcome);

/// Calls `receiver` with the profile, whose arrays live until it returns.
void passToPlugin(const firmware::JobProfile &profile,
                  const std::function<void(const AvocetBackendProfile &)> &receiver);
firmware::JobProfile fromPlugin(const AvocetBackendProfile &profile);

} // namespace avocet::runtime::plugin

#endif // AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINVALUES_H
