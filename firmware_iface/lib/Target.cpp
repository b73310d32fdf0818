//===- Target.cpp - One device configuration --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Target.h"
#include "avocet/base/File.h"

#include "ShippedTargets.h"
#include "TargetFields.h"

#include <fmt/ranges.h>

namespace avocet::firmware {

namespace {

/// Null if there is none of this name.
const ShippedTarget *shippedTarget(std::string_view name) {
  for (const ShippedTarget &target : shippedTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

} // namespace

bool isTargetFile(std::string_view nameOrPath) {
  const bool looksLikePath = nameOrPath.find('/') != nameOrPath.npos || nameOrPath.ends_with(".toml");
  return looksLikePath && shippedTarget(nameOrPath) == nullptr;
}

Result<std::string> targetText(std::string_view nameOrPath) {
  if (const ShippedTarget *shipped = shippedTarget(nameOrPath))
    return std::string(shipped->text);
  if (!isTargetFile(nameOrPath))
    return notFound(fmt::format("target '{}' is unknown: shipped are {}; a path to a .toml file works too", nameOrPath,
                                fmt::join(Target::shippedNames(), ", ")));
  Result<std::vector<uint8_t>> text = readFile(std::string(nameOrPath), kMaxTargetBytes);
  if (!text)
    return text.status().withContext("target file");
  return std::string(text->begin(), text->end());
}

std::vector<std::string> Target::shippedNames() {
  std::vector<std::string> names;
  for (const ShippedTarget &target : shippedTargets())
    names.emplace_back(target.name);
  return names;
}

Result<std::shared_ptr<const Target>> Target::load(std::string_view nameOrPath) {
  AVOCET_ASSIGN_OR_RETURN(const std::string text, targetText(nameOrPath));
  return parse(text, nameOrPath);
}

uint64_t Target::macsPerCycle(DataType type) const {
  uint64_t slowdown = mac_.slowdown[static_cast<uint32_t>(type)];
  if (slowdown == 0)
    return 0;
  const ArrayStep &step = mac_.dense;
  uint64_t products = uint64_t{step.height} * step.width * step.channels * step.products * mac_.cores;
  return products / (step.cycles * slowdown);
}

} // namespace avocet::firmware
