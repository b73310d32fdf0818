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

bool looksLikePath(std::string_view text) { return text.find('/') != text.npos || text.ends_with(".toml"); }

} // namespace

std::vector<std::string> Target::shippedNames() {
  std::vector<std::string> names;
  for (const ShippedTarget &target : shippedTargets())
    names.emplace_back(target.name);
  return names;
}

Result<std::shared_ptr<const Target>> Target::load(std::string_view nameOrPath) {
  for (const ShippedTarget &target : shippedTargets())
    if (target.name == nameOrPath)
      return parse(target.text, target.name);
  if (!looksLikePath(nameOrPath))
    return notFound(fmt::format("target '{}' is unknown: shipped are {}; a path to a .toml file works too", nameOrPath,
                                fmt::join(shippedNames(), ", ")));
  Result<std::vector<uint8_t>> text = readFile(std::string(nameOrPath), kMaxTargetBytes);
  if (!text)
    return text.status().withContext("target file");
  return parse({reinterpret_cast<const char *>(text->data()), text->size()}, nameOrPath);
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
