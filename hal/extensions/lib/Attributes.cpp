//===- Attributes.cpp - Attributes of compilations and executions ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/extensions/Attributes.h"

#include "avocet/hal/extensions/Extension.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace avocet::hal {
namespace {

struct Given {
  const ExtensionRules *extension;
  const ExtensionAttribute *attribute;
  std::span<const uint8_t> value;
};

/// The attributes that this device knows, by extension and number.
std::vector<Given> givenAttributes(const std::vector<TokenValuePair> &hints,
                                   const std::vector<ExtensionNameAndPrefix> &names) {
  std::vector<Given> given;
  for (const TokenValuePair &hint : hints) {
    const auto token = static_cast<uint32_t>(hint.token);
    const auto name = std::ranges::find(names, static_cast<uint16_t>(token >> 16), &ExtensionNameAndPrefix::prefix);
    const ExtensionRules *extension = name == names.end() ? nullptr : findExtension(name->name);
    if (extension == nullptr)
      continue;
    const auto attribute =
        std::ranges::find(extension->attributes, static_cast<uint16_t>(token), &ExtensionAttribute::number);
    if (attribute != extension->attributes.end())
      given.push_back({extension, &*attribute, hint.value});
  }
  std::ranges::sort(given, {},
                    [](const Given &entry) { return std::tuple(entry.extension->name, entry.attribute->number); });
  return given;
}

Outcome named(const Given &given, const Outcome &outcome) {
  return outcome ? success()
                 : Outcome(error(outcome.code(), fmt::format("attribute {} of {}: {}", given.attribute->name,
                                                             given.extension->name, outcome.error().message)));
}

} // namespace

Result<std::vector<AttributeValue>> compilationAttributes(const PrepareOptions &options) {
  std::vector<AttributeValue> attributes;
  for (const Given &given : givenAttributes(options.hints, options.extensionNameToPrefix)) {
    AVOCET_RETURN_IF_ERROR(named(given, given.attribute->checkForCompilation != nullptr
                                            ? given.attribute->checkForCompilation(given.value)
                                            : invalidArgument("it is one of executions, not of compilations")));
    attributes.push_back({given.extension->name, given.attribute->number, given.value});
  }
  return attributes;
}

static Outcome apply(const ExecutionOptions &source, ExecutionOptions &options) {
  for (const Given &given : givenAttributes(source.hints, source.extensionNameToPrefix))
    AVOCET_RETURN_IF_ERROR(named(given, given.attribute->applyToExecution != nullptr
                                            ? given.attribute->applyToExecution(given.value, options)
                                            : invalidArgument("it is one of compilations, not of executions")));
  return success();
}

Outcome checkExecutionAttributes(const ExecutionOptions &options) {
  ExecutionOptions unused;
  return apply(options, unused);
}

Outcome applyExecutionAttributes(ExecutionOptions &options) { return apply(options, options); }

} // namespace avocet::hal
