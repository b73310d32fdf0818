//===- LayerDecisions.cpp - What the compiler decided for a layer ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/LayerDecisions.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/ParseNumber.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace avocet::documents {
namespace {

using compiler::RemarkKind;

/// The layers that a remark is about.
class DecisionLayers {
public:
  explicit DecisionLayers(const cache::ModelCache &model) : numLayers_(model.numLayers()) {
    for (size_t i = 0; i < model.numSourceEntries(); ++i)
      byLocation_[std::string(model.sourceEntry(i).location)].insert(model.sourceEntry(i).layer);
  }

  /// In order. None: the network.
  std::vector<uint32_t> of(const OwnedRemark &remark) const {
    const auto first = remark.number("Layer");
    if (!first) {
      const auto found = byLocation_.find(remark.location);
      return found == byLocation_.end() ? std::vector<uint32_t>()
                                        : std::vector<uint32_t>(found->second.begin(), found->second.end());
    }
    std::vector<uint32_t> layers;
    const uint64_t end = remark.number("LastLayer").value_or(*first) + 1;
    for (uint64_t layer = *first; layer < std::min<uint64_t>(end, numLayers_); ++layer)
      layers.push_back(static_cast<uint32_t>(layer));
    return layers;
  }

private:
  size_t numLayers_;
  std::map<std::string, std::set<uint32_t>, std::less<>> byLocation_;
};

} // namespace

const OwnedRemark *Decision::taken() const {
  const auto last = std::ranges::find(choices.rbegin(), choices.rend(), RemarkKind::Passed, &OwnedRemark::kind);
  return last == choices.rend() ? nullptr : *last;
}

std::vector<Decision> groupDecisions(const cache::ModelCache &model, const std::vector<OwnedRemark> &remarks) {
  const DecisionLayers layers(model);
  std::vector<Decision> decisions;
  std::map<std::pair<std::string_view, std::string_view>, size_t> last; // by location and name
  for (const OwnedRemark &remark : remarks) {
    if (remark.kind == RemarkKind::Analysis)
      continue;
    const auto [place, isNew] = last.try_emplace({remark.location, remark.name}, decisions.size());
    std::vector<uint32_t> about = layers.of(remark);
    // A second operation of an operator has a decision of the same name. Plans of the network are one decision.
    const bool isSecond = !isNew && remark.kind == RemarkKind::Passed && decisions[place->second].taken();
    if (isNew || (isSecond && !about.empty())) {
      place->second = decisions.size();
      decisions.push_back({std::move(about), {}});
    }
    decisions[place->second].choices.push_back(&remark);
  }
  return decisions;
}

std::vector<OwnedRemark> decisionsAbout(const analysis::SourceMap &map, uint32_t layer,
                                        const std::vector<OwnedRemark> &remarks) {
  std::vector<OwnedRemark> found;
  for (const Decision &decision : groupDecisions(map.model(), remarks))
    if (std::ranges::binary_search(decision.layers, layer))
      for (const OwnedRemark *remark : decision.choices)
        found.push_back(*remark);
  return found;
}

} // namespace avocet::documents
