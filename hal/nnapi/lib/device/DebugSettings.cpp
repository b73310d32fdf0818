//===- DebugSettings.cpp - Settings for debugging -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/DebugSettings.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"

namespace avocet::nnapi {
namespace {

/// A warning, and the default, for a value that the knob does not accept.
std::string checkedText(const Knob &knob) {
  if (auto status = checkKnob(knob); !status.isOk())
    logMessage(LogLevel::Warning, "nnapi", "{}", status.message());
  return knobText(knob);
}

std::optional<std::regex> expressionOf(const Knob &knob) {
  const std::string text = knobText(knob);
  if (text.empty())
    return {};
  try {
    return std::regex(text);
  } catch (const std::regex_error &error) {
    logMessage(LogLevel::Warning, "nnapi",
               "the environment variable {} holds '{}', which is no regular expression ({}); all devices are enabled",
               knob.name, text, error.what());
    return {};
  }
}

DebugSettings read() {
  DebugSettings settings;
  settings.isCpuOnly = checkedText(knobs::kNnCpuOnly) == "1";
  const std::string partition = checkedText(knobs::kNnPartition);
  if (partition == "0")
    settings.partition = DebugSettings::Partition::CpuOnly;
  else if (partition == "2")
    settings.partition = DebugSettings::Partition::WithoutFallback;
  settings.runsCpuInCaller = checkedText(knobs::kNnSyncExecCpu) == "1";
  settings.runsInCaller = checkedText(knobs::kNnSyncExecRuntime) == "1";
  settings.enabledDevices = expressionOf(knobs::kNnEnabledDevices);
  return settings;
}

} // namespace

const DebugSettings &DebugSettings::instance() {
  // Never destroyed: threads may run when the process ends.
  static const auto *const kOnly = new DebugSettings(read());
  return *kOnly;
}

bool DebugSettings::isEnabled(const std::string &device) const {
  return !isCpuOnly && (!enabledDevices.has_value() || std::regex_match(device, *enabledDevices));
}

} // namespace avocet::nnapi
