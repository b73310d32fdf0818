//===- ExtensionRules.cpp - Rules of extensions ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <set>
#include <string>

namespace avocet::hal {

using enum Version;

bool isValidExtensionName(std::string_view name) {
  static constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  return name.find_first_not_of(kAllowed) == std::string_view::npos && name.find('.') != std::string_view::npos;
}

/// Checks that a name is valid and not a duplicate.
static Outcome checkName(const std::string &name, std::set<std::string> &seen) {
  if (!isValidExtensionName(name))
    return invalidArgument(
        fmt::format("extension name '{}', must be lower case letters, digits, '_' and '.', with a '.'", name));
  if (!seen.insert(name).second)
    return invalidArgument(fmt::format("extension '{}' is listed twice", name));
  return success();
}

Result<Version> validate(const std::vector<ExtensionNameAndPrefix> &names) {
  std::set<std::string> seen;
  std::set<uint16_t> prefixes;
  for (const ExtensionNameAndPrefix &extension : names) {
    AVOCET_RETURN_IF_ERROR(checkName(extension.name, seen));
    if (extension.prefix == 0)
      return invalidArgument(fmt::format("prefix 0 of extension '{}', must be positive", extension.name));
    if (!prefixes.insert(extension.prefix).second)
      return invalidArgument(fmt::format("prefix {} of extension '{}' is taken", extension.prefix, extension.name));
  }
  return names.empty() ? V1_0 : V1_2;
}

static Outcome checkOperandTypes(const Extension &extension) {
  std::set<uint16_t> types;
  for (const ExtensionOperandTypeInformation &information : extension.operandTypes) {
    if (information.byteSize == 0)
      return invalidArgument(fmt::format("type {} of extension '{}' has 0 bytes", information.type, extension.name));
    if (!types.insert(information.type).second)
      return invalidArgument(
          fmt::format("type {} of extension '{}' is listed twice", information.type, extension.name));
  }
  return success();
}

Result<Version> validate(const std::vector<Extension> &extensions) {
  std::set<std::string> seen;
  for (const Extension &extension : extensions) {
    AVOCET_RETURN_IF_ERROR(checkName(extension.name, seen));
    AVOCET_RETURN_IF_ERROR(checkOperandTypes(extension));
  }
  return extensions.empty() ? V1_0 : V1_2;
}

} // namespace avocet::hal
