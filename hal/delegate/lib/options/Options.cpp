//===- Options.cpp - What the application asks for - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options/Options.h"

#include "avocet/hal/plugin/Counters.h"
#include "avocet/hal/plugin/Options.h"

namespace avocet::delegate {

Result<Options> parseOptions(const char *const *keys, const char *const *values, size_t count) {
  Options options;
  std::vector<plugin::TextOption> table = plugin::engineOptions(options.engine);
  table.push_back(plugin::textOption("profile", options.profile));
  AVOCET_RETURN_IF_ERROR(plugin::setOptions(table, keys, values, count));
  options.engine.hasProfiles = !options.profile.empty() && !plugin::isProfileJson(options.profile);
  if (options.engine.device.empty())
    options.engine.device = plugin::defaultDevice(options.engine);
  return options;
}

} // namespace avocet::delegate
