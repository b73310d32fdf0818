//===- Settings.h - Settings of a compilation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_SETTINGS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_SETTINGS_H

#include "avocet/compiler/Compiler.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

/// Values of settings by name: "target", "optimize", "threads" and "compiler", and the optional transforms of the
/// compiler, which are "on" or "off".
using Settings = std::map<std::string, std::string>;

inline constexpr const char *kTargetSetting = "target", *kOptimizeSetting = "optimize", *kThreadsSetting = "threads",
                            *kCompilerSetting = "compiler", *kOn = "on", *kOff = "off";

/// Reads "NAME=VALUE NAME=VALUE". InvalidArgument says what is accepted; `option` names the text.
Result<Settings> parseSettings(std::string_view option, std::string_view text, const std::set<std::string> &transforms);

/// `settings`, with those of `more` in their places.
Settings joined(Settings settings, const Settings &more);

/// Names of settings whose values differ, in order. A setting that one side does not have has its default there.
std::vector<std::string> differingSettings(const Settings &left, const Settings &right);

/// The value of a setting, or its default.
std::string valueIn(const Settings &settings, const std::string &name);

/// "NAME=VALUE NAME=VALUE", or "defaults".
std::string textOf(const Settings &settings);

/// Sets target, effort and threads of a request. InvalidArgument: a value that is not accepted.
Status applySettings(compiler::CompileRequest &request, const Settings &settings);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_SETTINGS_H
