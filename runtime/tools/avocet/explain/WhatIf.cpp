//===- WhatIf.cpp - What a change of the target would bring -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhatIf.h"

#include "TextTable.h"
#include "avocet/base/File.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using firmware::TargetChange;

struct Change {
  std::string text;
  std::vector<TargetChange> figures;
};

std::vector<Change> fixedChanges(const firmware::Target &target) {
  const auto text = [](uint64_t number) { return std::to_string(number); };
  const firmware::Rate bandwidth = target.dram().bandwidth;
  return {{"twice the off-chip bandwidth",
           {{"dram.bandwidth", fmt::format("{}/{}", 2 * bandwidth.count, bandwidth.cycles)}}},
          {"half of the off-chip latency",
           {{"dram.readLatencyCycles", text(target.dram().readLatencyCycles / 2)},
            {"dram.writeLatencyCycles", text(target.dram().writeLatencyCycles / 2)}}},
          {"twice the SRAM port", {{"sram.portBytesPerCycle", text(2 * target.sram().portBytesPerCycle)}}}};
}

/// Targets are files in a folder, as the compiler and the runtime load them by name.
class Trial {
public:
  Trial(const ModelChoice &choice, const Measured &base, std::string layer, ScratchDirectory folder)
      : choice_(choice), base_(base), layer_(std::move(layer)), folder_(std::move(folder)) {}

  /// None: the rules of targets or the network refuse it.
  std::optional<WhatIf> run(const Change &change, Progress &progress) {
    const auto text = changedTargetText(*base_.model.target, change.figures, "changed", change.text);
    const std::string path = fmt::format("{}/target{}.toml", folder_.path(), ++count_);
    if (!text || !writeFile(path, std::string_view(*text)).isOk() || !firmware::Target::load(path))
      return std::nullopt;
    ModelChoice choice = choice_;
    choice.target = path;
    const Result<Measured> measured = measure(choice, progress);
    if (!measured)
      return std::nullopt;
    WhatIf result{change.text, measured->report.total.cycles, 0};
    for (const LayerReport &each : measured->report.layers)
      if (each.name == layer_)
        result.layerCycles = each.figures.cycles;
    return result;
  }

private:
  const ModelChoice &choice_;
  const Measured &base_;
  const std::string layer_;
  const ScratchDirectory folder_;
  int count_ = 0;
};

} // namespace

Result<std::vector<WhatIf>> tryChanges(const ModelChoice &choice, const Measured &base, const std::string &layer,
                                       Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory folder, ScratchDirectory::make());
  Trial trial(choice, base, layer, std::move(folder));
  std::vector<WhatIf> results;
  for (const Change &change : fixedChanges(*base.model.target))
    if (auto result = trial.run(change, progress))
      results.push_back(std::move(*result));
  uint64_t best = base.report.total.cycles;
  for (uint64_t numerator : {3, 4, 6, 8, 16, 32}) { // halves of the SRAM that there is
    const uint64_t bytes = base.model.target->sram().bytes * numerator / 2;
    auto result = trial.run({formatBytes(bytes) + " of SRAM", {{"sram.bytes", std::to_string(bytes)}}}, progress);
    if (!result)
      continue;
    const bool helps = result->cycles * 100 < best * 99;
    best = std::min(best, result->cycles);
    results.push_back(std::move(*result));
    if (!helps && numerator > 3)
      break;
  }
  progress.clear();
  return results;
}

} // namespace avocet::tool
