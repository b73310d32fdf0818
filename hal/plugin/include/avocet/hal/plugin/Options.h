//===- Options.h - Options as texts -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks pass options of a plug-in as pairs of texts.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_OPTIONS_H
#define AVOCET_HAL_PLUGIN_OPTIONS_H

#include "avocet/hal/plugin/Engine.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::plugin {

struct TextOption {
  std::string_view name;
  /// Its error says what was found and what is accepted.
  std::function<Status(const std::string &value)> set;
};

/// The options that set the members of `options`, which must outlive them:
///
///   device      a target of the embedded device (e256), or with `socket` a device of the service (avocet-e256)
///   socket      where a service listens, or a registry; empty: an embedded device
///   priority    low, medium, high
///   cache_dir   folder for compiled networks, made if its parent exists
///   allow_fp16  true or false: float32 may be computed in float16
std::vector<TextOption> engineOptions(EngineOptions &options);

/// An option that sets a text, or a flag: true or false, also 1 or 0.
TextOption textOption(std::string_view name, std::string &text);
TextOption flagOption(std::string_view name, bool &flag);

/// Sets the options that are given, each once. InvalidArgument names the option, what was found and what is accepted.
/// Null pointers are errors.
Status setOptions(std::span<const TextOption> options, const char *const *keys, const char *const *values,
                  size_t count);

/// The device if option `device` is not given: that of knob AVOCET_TARGET.
std::string defaultDevice(const EngineOptions &options);

/// Texts of the application in a message: short, without control characters.
std::string shown(std::string_view text);

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_OPTIONS_H
