//===- VerifyRegions.cpp - The rules of the region table --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "avocet/firmware_iface/JobRing.h"

#include <optional>
#include <set>
#include <utility>

namespace avocet::cache {

namespace {

/// The rule for a region of one kind and index: the number of regions of the kind, and the size.
struct RegionRule {
  uint32_t count;
  std::optional<uint64_t> bytes;
};

RegionRule ruleOf(const fb::Model &model, const fb::Region &region) {
  auto operandRule = [&](const auto &operands) {
    std::optional<uint64_t> bytes;
    if (region.index() < operands.size())
      bytes = operands.Get(region.index())->bytes();
    return RegionRule{operands.size(), bytes};
  };
  switch (region.kind()) {
  case fb::RegionKind::Input:
    return operandRule(*model.inputs());
  case fb::RegionKind::Output:
    return operandRule(*model.outputs());
  case fb::RegionKind::Constants:
    return {1, model.data_bytes()};
  case fb::RegionKind::Scratch:
    return {1, std::nullopt};
  }
  return {0, std::nullopt};
}

Status verifyRegion(const fb::Model &model, std::string_view place, const fb::Region &region) {
  RegionRule rule = ruleOf(model, region);
  if (region.kind() > fb::RegionKind::MAX)
    return dataLoss(fmt::format("{}.kind is {}, must be 0 to {}", place, static_cast<uint32_t>(region.kind()),
                                static_cast<uint32_t>(fb::RegionKind::MAX)));
  if (region.index() >= rule.count)
    return dataLoss(fmt::format("{}.index is {}, must be below {}", place, region.index(), rule.count));
  if (rule.bytes && region.bytes() != *rule.bytes)
    return dataLoss(
        fmt::format("{}.bytes is {}, must be {}, the size of what it names", place, region.bytes(), *rule.bytes));
  return Status::ok();
}

} // namespace

Status verifyRegions(const fb::Model &model) {
  const auto &regions = *model.regions();
  if (regions.size() > firmware::kMaxRegions)
    return dataLoss(
        fmt::format("regions has {} entries, at most {} are allowed", regions.size(), firmware::kMaxRegions));
  std::set<std::pair<fb::RegionKind, uint32_t>> seen;
  uint64_t operandRegions = 0;
  for (uint32_t i = 0; i < regions.size(); ++i) {
    const fb::Region &region = *regions.Get(i);
    std::string place = fmt::format("regions[{}]", i);
    AVOCET_RETURN_IF_ERROR(verifyRegion(model, place, region));
    if (!seen.emplace(region.kind(), region.index()).second)
      return dataLoss(fmt::format("{} repeats kind {} and index {} of an earlier region", place,
                                  fb::EnumNameRegionKind(region.kind()), region.index()));
    operandRegions += region.kind() <= fb::RegionKind::Output;
  }
  // No pair repeats and every index exists, so equal counts mean that none is missing.
  uint64_t operands = uint64_t{model.inputs()->size()} + model.outputs()->size();
  if (operandRegions != operands)
    return dataLoss(
        fmt::format("regions has {} entries for inputs and outputs, must have {}", operandRegions, operands));
  return Status::ok();
}

} // namespace avocet::cache
