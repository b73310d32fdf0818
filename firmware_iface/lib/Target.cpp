//===- Target.cpp - What one device configuration can do --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Target.h"

#include "ShippedTargets.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace avocet::firmware {

namespace {

bool looksLikePath(std::string_view text) { return text.find('/') != text.npos || text.ends_with(".toml"); }

Result<std::string> readFile(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return notFound(fmt::format("target file {}: there is no such file", path));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text)
    return notFound(fmt::format("target file {}: cannot be read", path));
  return std::move(text).str();
}

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
  AVOCET_ASSIGN_OR_RETURN(std::string text, readFile(std::string(nameOrPath)));
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
