//===- VersionReport.cpp - Which HAL versions express a model -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/VersionReport.h"

#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/ranges.h>

#include <array>

namespace avocet::hal {

std::span<const Version> allVersions() {
  using enum Version;
  static constexpr std::array kAll = {V1_0, V1_1, V1_2, V1_3, AidlV1, AidlV2, AidlV3, AidlV4};
  static_assert(kAll.back() == kLatestVersion && kAll.size() == static_cast<size_t>(kLatestVersion) + 1);
  return kAll;
}

VersionAnswer answerFor(const Model &model, Version version) {
  const Result<Converted<Model>> converted = convertTo(model, version);
  if (!converted)
    return {false, "no: " + converted.error().message};
  if (converted->losses.empty())
    return {true, "yes"};
  return {true, fmt::format("yes, without {}", fmt::join(converted->losses, ", "))};
}

std::string versionReport(const Model &model) {
  std::string lines;
  for (Version version : allVersions())
    lines += fmt::format("{}: {}\n", toString(version), answerFor(model, version).text);
  return lines;
}

} // namespace avocet::hal
