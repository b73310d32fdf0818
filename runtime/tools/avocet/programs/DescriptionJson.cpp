//===- DescriptionJson.cpp - Options of a program as JSON -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptionJson.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet {

// The library finds these by the namespace of the structs.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptionDescription, names, value, choices, help, group, isRequired)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CommandDescription, name, description, footer, options, arguments)

} // namespace avocet

namespace avocet::tool {

std::string describeJson(const CommandDescription &command) { return nlohmann::json(command).dump() + "\n"; }

Result<CommandDescription> parseDescription(const std::string &text) {
  try {
    return nlohmann::json::parse(text).get<CommandDescription>();
  } catch (const nlohmann::json::exception &error) {
    return dataLoss(fmt::format("no description of options: {}", error.what()));
  }
}

} // namespace avocet::tool
