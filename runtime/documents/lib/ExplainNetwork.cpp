//===- ExplainNetwork.cpp - Asks all that avocet explain tells ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/Knobs.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/documents/Explanation.h"
#include "avocet/documents/LayerDecisions.h"

#include <fmt/format.h>

namespace avocet::documents {
namespace {

/// The only layer that the text may mean.
Result<uint32_t> findLayer(const cache::ModelCache &model, const std::string &text) {
  const std::vector<uint32_t> found = cache::findLayers(model, text);
  if (found.size() == 1)
    return found.front();
  return invalidArgument(fmt::format("--layer {}: {} of the {} layers have it in their names; 'avocet run' lists them",
                                     text, found.size(), model.numLayers()));
}

/// What the target refuses, and why, instead of figures. The status is the error of the whole command.

Result<LayerExplanation> explainLayer(const Explanation &explanation, const std::string &text,
                                      const std::vector<OwnedRemark> &remarks) {
  const analysis::SourceMap &map = explanation.map;
  LayerExplanation layer;
  AVOCET_ASSIGN_OR_RETURN(layer.number, findLayer(map.model(), text));
  layer.plan = planOf(map, layer.number);
  layer.storedBytes = map.model().layer(layer.number).weightBytes;
  layer.waits = waitsOf(map, explanation.times, layer.number);
  layer.decisions = decisionsAbout(map, layer.number, remarks);
  return layer;
}

} // namespace

Result<Explanation> explainNetwork(const ExplainRequest &request, network::Observer &observer) {
  network::ModelChoice choice = request.choice;
  choice.sourceMap = true;
  std::vector<OwnedRemark> remarks;
  if (!request.layer.empty())
    choice.remark = [&](const compiler::Remark &remark) { remarks.emplace_back(remark); };
  AVOCET_ASSIGN_OR_RETURN(Measured base, measure(choice, observer));
  AVOCET_ASSIGN_OR_RETURN(Explanation explanation, explainNetwork(std::move(base)));
  if (!request.layer.empty()) {
    AVOCET_ASSIGN_OR_RETURN(explanation.layer, explainLayer(explanation, request.layer, remarks));
  }
  if (request.noChanges)
    return explanation;
  choice.sourceMap = false;
  choice.remark = {};
  const analysis::Report &report = explanation.base.report;
  const std::string layer = explanation.layer ? report.layers[explanation.layer->number].name : "";
  AVOCET_ASSIGN_OR_RETURN(explanation.changes, tryChanges(choice, explanation.base, layer, observer));
  return explanation;
}

Result<RefusedNetwork> explainRefusals(const ExplainRequest &request, const Status &failure,
                                       network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<RefusedOperator> all, refusedOperators(request.choice, observer));
  if (all.empty())
    return failure;
  const std::string &target = request.choice.target;
  RefusedNetwork refused{target.empty() ? knobText(knobs::kTarget) : target, all.size(), {}};
  refused.operators = request.layer.empty() ? std::move(all) : findRefused(all, request.layer);
  if (refused.operators.empty())
    return invalidArgument(fmt::format("--layer {}: none of the {} operators that are refused has it in its name or "
                                       "tensor; leave out --layer to see them",
                                       request.layer, refused.count));
  return refused;
}

} // namespace avocet::documents
