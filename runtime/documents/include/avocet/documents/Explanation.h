//===- Explanation.h - What avocet explain has found out ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_EXPLANATION_H
#define AVOCET_DOCUMENTS_EXPLANATION_H

#include "avocet/analysis/ArrayFill.h"
#include "avocet/analysis/Losses.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/documents/Measured.h"
#include "avocet/documents/Refusals.h"
#include "avocet/documents/Remarks.h"

#include <optional>
#include <string>
#include <vector>

namespace avocet::documents {

struct LayerExplanation {
  uint32_t number = 0;
  LayerPlan plan;
  uint64_t storedBytes = 0; ///< of its constants
  std::vector<std::pair<WaitCause, uint64_t>> waits;
  std::vector<OwnedRemark> decisions;
};

/// About a network that compiles.
struct Explanation {
  Measured base;
  analysis::SourceMap map;
  analysis::CommandTimes times;
  analysis::Losses losses;
  std::vector<std::optional<analysis::ArrayFill>> fills; ///< by layer
  std::optional<LayerExplanation> layer;                 ///< the one asked for
  std::optional<std::vector<WhatIf>> changes;            ///< none: not tried
};

/// Without a layer and changes. DataLoss: the artefacts have no source map.
Result<Explanation> explainNetwork(Measured base);

/// Of all runs of a section.
struct SectionFigures {
  uint64_t runs = 0, cycles = 0;
};
/// By section. The control program takes the other cycles of the network.
std::vector<SectionFigures> sectionFigures(const analysis::CommandStreams &streams,
                                           const analysis::CommandTimes &times);

/// The layers that lose most, so many that their losses are nearly all of the cycles above the network's bound; at most
/// kMostLosses. The longest first, none without a loss.
std::vector<size_t> worstLayers(const Explanation &explanation);
inline constexpr size_t kMostLosses = 40;

struct ExplainRequest {
  network::ModelChoice choice;
  std::string layer;      ///< a layer to explain: its number, its name or a part of it; empty: none
  bool noChanges = false; ///< try no changes of the target
};

/// What `avocet explain` finds out about a network that compiles. Unsupported: the target refuses it, ask
/// explainRefusals(). InvalidArgument: not exactly one layer has the name.
Result<Explanation> explainNetwork(const ExplainRequest &request, network::Observer &observer);

/// About a network that the target refuses. `failure`: of explainNetwork(), the error if no operator is to blame.
/// InvalidArgument: `layer` names none of the operators.
struct RefusedNetwork {
  std::string target;
  size_t count = 0;                       ///< of all refused operators
  std::vector<RefusedOperator> operators; ///< that the request asks for
};
Result<RefusedNetwork> explainRefusals(const ExplainRequest &request, const Status &failure,
                                       network::Observer &observer);

/// As schemas/explain.schema.json describes.
std::string explanationJson(const Explanation &explanation);
/// The same document for a network that the target refuses. `model` is its file.
std::string refusalsJson(const std::string &model, const std::string &target,
                         const std::vector<RefusedOperator> &operators);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_EXPLANATION_H
