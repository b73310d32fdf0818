//===- ExplainedArtefacts.cpp - Whether artefacts can be explained ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainedArtefacts.h"

#include "FigureRules.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/documents/Explanation.h"
#include "explain/ExplanationText.h"
#include "report/DocumentFile.h"

#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

Status checkReport(const network::ModelChoice &choice, network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(const Json document, documents::makeDocument(choice, {.withIr = false}, observer));
  return checkDocument(document, "the report of the artefacts");
}

/// With the figures of each layer.
Status checkExplanation(const network::ModelChoice &choice, network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(documents::Measured base, documents::measure(choice, observer));
  AVOCET_ASSIGN_OR_RETURN(documents::Explanation explanation, explainNetwork(std::move(base)));
  AVOCET_RETURN_IF_ERROR(checkFigures(explanation).withContext("figures"));
  const cache::ModelCache &model = explanation.map.model();
  for (uint32_t layer = 0; layer < model.numLayers(); ++layer) {
    explanation.layer = {layer,
                         documents::planOf(explanation.map, layer),
                         model.layer(layer).weightBytes,
                         documents::waitsOf(explanation.map, explanation.times, layer),
                         {}};
    if (explanationText(explanation).empty())
      return internalError("the explanation of a layer is empty");
  }
  return Status::ok();
}

} // namespace

Status checkExplained(const compiler::CompileResult &result, const std::string &target) {
  AVOCET_ASSIGN_OR_RETURN(const auto scratch, ScratchDirectory::make());
  AVOCET_RETURN_IF_ERROR(cache::writeArtefacts(scratch.path(), result.modelCache, result.dataCache));
  const network::ModelChoice choice{scratch.path(), target, ""};
  network::Observer observer;
  AVOCET_RETURN_IF_ERROR(checkReport(choice, observer).withContext("report"));
  return checkExplanation(choice, observer).withContext("explain");
}

} // namespace avocet::tool
