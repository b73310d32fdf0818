//===- DebugSettings.h - Settings for debugging -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_DEBUGSETTINGS_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_DEBUGSETTINGS_H

#include <optional>
#include <regex>
#include <string>

namespace avocet::nnapi {

/// The knobs AVOCET_NN_... (Knobs.h), with which Android's developers know them as system properties debug.nn.... They
/// are read once, at the first use.
struct DebugSettings {
  enum class Partition { CpuOnly, WithFallback, WithoutFallback };
  bool isCpuOnly = false;                        ///< there is no device but the CPU
  Partition partition = Partition::WithFallback; ///< of compilations without chosen devices
  bool runsCpuInCaller = false;                  ///< asynchronous executions on the CPU run in the call
  bool runsInCaller = false;                     ///< all asynchronous executions do
  std::optional<std::regex> enabledDevices;      ///< of the whole name; empty: all

  static const DebugSettings &instance();
  /// The CPU is always enabled.
  bool isEnabled(const std::string &device) const;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_DEBUGSETTINGS_H
