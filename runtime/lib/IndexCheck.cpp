//===- IndexCheck.cpp - Indices that a job found out of range ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/IndexCheck.h"

#include "avocet/cache/LayerNames.h"

#include <fmt/core.h>

namespace avocet::runtime {

static std::string operatorOf(const JobIndex &bad, const cache::ModelCache &model) {
  if (bad.layer >= model.numLayers())
    return "an operator";
  // By its name in the file; its operation may be one of those that the import has replaced it by.
  return fmt::format("operator '{}'", cache::layerNames(model)[bad.layer]);
}

Status checkIndices(const JobOutcome &outcome, const cache::ModelCache &model) {
  const JobIndex &bad = outcome.badIndex;
  if (bad.extent == 0)
    return Status::ok();
  return invalidArgument(
      fmt::format("{}: index {} is out of range, must be 0 to {}", operatorOf(bad, model), bad.index, bad.extent - 1));
}

} // namespace avocet::runtime
