//===- ModelRules.cpp - Rules of a whole model ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "util/Subgraphs.h"
#include "util/WireLimits.h"

#include <algorithm>
#include <set>
#include <string>

namespace avocet::hal {

using enum Version;

bool ModelContext::hasPrefix(uint16_t prefix) const { return std::ranges::binary_search(prefixes, prefix); }

Result<Version> validatePrefix(const ModelContext &context, uint16_t prefix) {
  if (!context.hasPrefix(prefix))
    return invalidArgument(fmt::format("extension prefix {} is not in the model's list of extensions", prefix));
  return V1_2;
}

static std::vector<uint64_t> poolSizesOf(const Model &model) {
  std::vector<uint64_t> sizes;
  sizes.reserve(model.pools.size());
  for (const SharedMemory &pool : model.pools)
    sizes.push_back(pool != nullptr ? sizeOf(*pool) : 0);
  return sizes;
}

static std::vector<uint16_t> prefixesOf(const Model &model) {
  std::vector<uint16_t> prefixes;
  prefixes.reserve(model.extensionNameToPrefix.size());
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    prefixes.push_back(extension.prefix);
  std::ranges::sort(prefixes);
  return prefixes;
}

ModelContext contextOf(const Model &model) { return {model, poolSizesOf(model), prefixesOf(model)}; }

Outcome checkNoRecursion(const std::vector<Subgraph> &referenced) {
  std::vector<size_t> order = usersFirst(referenced);
  if (order.size() == referenced.size())
    return success();
  std::vector<bool> isPlaced(referenced.size());
  for (size_t index : order)
    isPlaced[index] = true;
  auto stuck = std::ranges::find(isPlaced, false);
  return invalidArgument(
      fmt::format("subgraph {}: subgraphs refer to each other in a cycle", stuck - isPlaced.begin()));
}

static Result<Version> validatePools(const Model &model) {
  Version version = V1_0;
  for (size_t i = 0; i < model.pools.size(); ++i) {
    Result<Version> needed = validate(model.pools[i], true);
    if (!needed)
      return at(needed.error(), "pool {}", i);
    version = std::max(version, *needed);
  }
  return version;
}

static Result<Version> validateSubgraphs(const ModelContext &context) {
  Result<Version> main = validateSubgraph(context, context.model.main);
  if (!main)
    return at(main.error(), "main subgraph");
  Version version = context.model.referenced.empty() ? *main : std::max(*main, V1_3);
  for (size_t i = 0; i < context.model.referenced.size(); ++i) {
    Result<Version> needed = validateSubgraph(context, context.model.referenced[i]);
    if (!needed)
      return at(needed.error(), "subgraph {}", i);
    version = std::max(version, *needed);
  }
  return version;
}

/// The first version from `needed` whose fields hold the model. HIDL's codes and extents are wider than AIDL's, so the
/// operations and the fields of a model can need different versions.
static Result<Version> firstThatHolds(const Model &model, Version needed) {
  if (isHidl(needed) && !checkModelFits(model, needed))
    needed = AidlV1;
  AVOCET_RETURN_IF_ERROR(checkModelFits(model, needed));
  return needed;
}

Result<Version> validate(const Model &model) {
  AVOCET_ASSIGN_OR_RETURN(Version forPools, validatePools(model));
  AVOCET_ASSIGN_OR_RETURN(Version forExtensions, validate(model.extensionNameToPrefix));
  if (model.operandValues.size() > kMaxByteSize)
    return invalidArgument(
        fmt::format("{} bytes of operand values, must be at most {}", model.operandValues.size(), kMaxByteSize));
  AVOCET_RETURN_IF_ERROR(checkNoRecursion(model.referenced));
  AVOCET_ASSIGN_OR_RETURN(Version forSubgraphs, validateSubgraphs(contextOf(model)));
  return firstThatHolds(model, std::max({forPools, forExtensions, forSubgraphs}));
}

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
