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
#include "explain/Explanation.h"
#include "report/ReportDocument.h"

#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

Status checkReport(const ModelChoice &choice, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(const Json document, makeDocument(choice, {.withIr = false}, progress));
  return checkDocument(document, "the report of the artefacts");
}

/// With the figures of each layer.
Status checkExplanation(const ModelChoice &choice, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(Measured base, measure(choice, progress));
  AVOCET_ASSIGN_OR_RETURN(Explanation explanation, explainNetwork(std::move(base)));
  AVOCET_RETURN_IF_ERROR(checkFigures(explanation).withContext("figures"));
  const cache::ModelCache &model = explanation.map.model();
  for (uint32_t layer = 0; layer < model.numLayers(); ++layer) {
    explanation.layer = {layer,
                         planOf(explanation.map, layer),
                         model.layer(layer).weightBytes,
                         waitsOf(explanation.map, explanation.times, layer),
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
  const ModelChoice choice{scratch.path(), target, ""};
  Progress progress;
  AVOCET_RETURN_IF_ERROR(checkReport(choice, progress).withContext("report"));
  return checkExplanation(choice, progress).withContext("explain");
}

} // namespace avocet::tool
