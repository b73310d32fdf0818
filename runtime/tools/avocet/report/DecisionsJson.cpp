//===- DecisionsJson.cpp - Decisions of the compiler in reports ----*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecisionsJson.h"

#include "avocet/base/ParseNumber.h"
#include "explain/LayerDecisions.h"

namespace avocet::tool {
namespace {

using compiler::RemarkKind;

constexpr std::pair<const char *, const char *> kNumbers[] = {{"cycles", "Cycles"},
                                                              {"cycles_change", "CyclesChange"},
                                                              {"needs_bytes", "NeedsBytes"},
                                                              {"has_bytes", "HasBytes"},
                                                              {"stored_bytes", "StoredBytes"}};

std::optional<int64_t> numberOf(const OwnedRemark &remark, const char *key) {
  const std::string_view text = remark.argument(key);
  const bool isNegative = text.starts_with('-');
  const auto number = parseUnsigned(text.substr(isNegative), 0, uint64_t(INT64_MAX));
  if (!number)
    return std::nullopt;
  return isNegative ? -int64_t(*number) : int64_t(*number);
}

/// "taken", "missed" or "failed". A plan that was taken until a better one was found was missed.
const char *outcomeOf(const OwnedRemark &remark, const Decision &decision) {
  if (&remark == decision.taken())
    return "taken";
  return remark.kind == RemarkKind::Failed ? "failed" : "missed";
}

Json choiceJson(const OwnedRemark &remark, const Decision &decision) {
  const bool isOutdone = remark.kind == RemarkKind::Passed && &remark != decision.taken();
  Json json = {{"outcome", outcomeOf(remark, decision)},
               {"choice", remark.argument("Choice")},
               {"reason", isOutdone ? "another plan is better" : remark.argument("Reason")}};
  for (const auto &[key, argument] : kNumbers)
    if (const auto number = numberOf(remark, argument))
      json[key] = *number;
  return json;
}

} // namespace

Json decisionsJson(const cache::ModelCache &model, const std::vector<OwnedRemark> &remarks) {
  Json list = Json::array();
  for (const Decision &decision : groupDecisions(model, remarks)) {
    const OwnedRemark &first = *decision.choices.front();
    Json json = {{"name", first.name}, {"layers", decision.layers}, {"choices", Json::array()}};
    if (decision.layers.empty())
      json["location"] = first.location;
    for (const OwnedRemark *remark : decision.choices)
      json["choices"].push_back(choiceJson(*remark, decision));
    list.push_back(std::move(json));
  }
  return list;
}

void addPredictions(const std::vector<OwnedRemark> &remarks, Json &layers) {
  for (const OwnedRemark &remark : remarks) {
    const auto layer = numberOf(remark, "Layer"), cycles = numberOf(remark, "Cycles");
    if (remark.kind == RemarkKind::Analysis && remark.name == "layer" && layer && cycles &&
        static_cast<uint64_t>(*layer) < layers.size())
      layers[static_cast<size_t>(*layer)]["predicted_cycles"] = *cycles;
  }
}

} // namespace avocet::tool
