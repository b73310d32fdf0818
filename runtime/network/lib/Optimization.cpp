//===- Optimization.cpp - Level or time of the search for schedules -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/network/Optimization.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/session/LocalSession.h"

#include <fmt/core.h>

namespace avocet::network {
namespace {

using TargetPtr = std::shared_ptr<const firmware::Target>;

/// Cycles of one inference, by the simulator whatever the back end of the user, without values.
Result<uint64_t> simulate(const TargetPtr &target, std::span<const uint8_t> modelCache,
                          std::span<const uint8_t> dataCache) {
  session::LoadedModel model;
  model.target = target;
  AVOCET_ASSIGN_OR_RETURN(model.artefacts.model,
                          cache::ModelCache::adopt({modelCache.begin(), modelCache.end()}, "alternative"));
  AVOCET_ASSIGN_OR_RETURN(model.artefacts.data, cache::DataCache::fromBytes(dataCache));
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runTimed(model, session::Profiling::Off));
  return run.record.outcome.counters.cycles;
}

} // namespace

Status setOptimization(compiler::CompileRequest &request, std::string_view text) {
  if (text.empty())
    return Status::ok();
  const bool isTime = text.back() == 's';
  if (isTime) {
    auto seconds = parseReal(text.substr(0, text.size() - 1), 0.001, compiler::kMostOptimizeSeconds);
    if (seconds)
      request.optimizeSeconds = *seconds;
  } else if (auto level = parseUnsigned(text, 0, compiler::kMostOptimize)) {
    request.optimize = uint32_t(*level);
  }
  if (isTime ? request.optimizeSeconds == 0 : std::string_view("0123").find(text) == std::string_view::npos)
    return invalidArgument(fmt::format("--optimize {}: must be a level from 0 to {}, or a time in seconds such as 30s",
                                       text, compiler::kMostOptimize));
  if (isTime || request.optimize > compiler::kDefaultOptimize) {
    AVOCET_ASSIGN_OR_RETURN(TargetPtr target, firmware::Target::load(request.target));
    request.simulate = [target](std::span<const uint8_t> modelCache, std::span<const uint8_t> dataCache) {
      return simulate(target, modelCache, dataCache);
    };
  }
  return Status::ok();
}

} // namespace avocet::network
