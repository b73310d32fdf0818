//===- ExplainCommand.cpp - avocet explain ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "LayerNames.h"
#include "Optimisation.h"
#include "TextTable.h"
#include "explain/LayerDecisions.h"
#include "explain/WhatIf.h"
#include "sources/SourceText.h"

#include "avocet/base/StandardStreams.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace avocet::tool {
namespace {

struct ExplainOptions {
  ModelChoice choice;
  std::string layer;
  bool noChanges = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet explain model.tflite -t m512             the layers that lose most time, why, and what would help
  avocet explain model.tflite -t m512 --layer 12  one layer: its tiles, traffic, what it waits for, what the compiler
                                                  decided, and what else it could have done
  avocet explain model.tflite --no-changes        without the trials of other targets, which take most of the time
Loss: cycles above the least time of the layer's computation and constants on this target (avocet run --help).
Alternatives of the compiler have predicted cycles: of the network if nothing else changes, or of the operation or its
largest tile. Changes of the target are compiled and simulated, not estimated. A model that is refused is explained by its refusals.)";

double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * double(part) / double(whole) : 0; }

uint64_t lossOf(const LayerReport &layer) {
  const Figures &figures = layer.figures;
  return figures.cycles > figures.rooflineCycles ? figures.cycles - figures.rooflineCycles : 0;
}

/// "what the layer waits for, or works on", in words.
std::string limitText(Bound bound) {
  switch (bound) {
  case Bound::None:
    return "not measured";
  case Bound::Array:
    return "the MAC array";
  case Bound::Dsp:
    return "the DSP";
  case Bound::Data:
    return "data";
  case Bound::Sram:
    return "the SRAM port";
  case Bound::Dram:
    return "the off-chip port";
  case Bound::Latency:
    return "off-chip latency";
  case Bound::Issue:
    return "issue, fill, drain";
  }
  return "";
}

std::string causeText(const SourceNames &names, const WaitCause &cause, uint32_t self) {
  const std::string of = cause.layer == firmware::kNoLayer ? ""
                         : cause.layer == self
                             ? " of this layer"
                             : " of layer " + std::to_string(cause.layer) + " " + names.layer(cause.layer);
  switch (cause.kind) {
  case WaitCause::Kind::Constants:
    return "constants" + of + " from off chip";
  case WaitCause::Kind::Reload:
    return "a spilled result" + of + " from off chip";
  case WaitCause::Kind::Input:
    return "a network input from off chip";
  case WaitCause::Kind::Store:
    return "memory until a result" + of + " is stored";
  case WaitCause::Kind::Result:
    return "a result" + of;
  }
  return "";
}

std::string summary(const Report &report) {
  const uint64_t traffic = report.total.dramBytes;
  return fmt::format("{} on {}: {} cycles, {:.2f} times the bound of {}\n"
                     "limited by {}; moves {} off chip, at least {} are needed\n",
                     report.model, report.target, withCommas(report.total.cycles),
                     double(report.total.cycles) / double(std::max<uint64_t>(1, report.total.rooflineCycles)),
                     withCommas(report.total.rooflineCycles), limitText(report.total.boundBy), formatBytes(traffic),
                     formatBytes(report.total.leastDramBytes));
}

std::string worstLayers(const Report &report, const SourceNames &names) {
  std::vector<size_t> order(report.layers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::pair(lossOf(report.layers[b]), a) < std::pair(lossOf(report.layers[a]), b);
  });
  constexpr size_t kShown = 10;
  order.resize(std::min(kShown, order.size()));
  TextTable table;
  table.addColumn("#", TextTable::Align::Right);
  table.addColumn("layer", TextTable::Align::Left, 30);
  for (const char *title : {"cycles", "least", "loss of all"})
    table.addColumn(title, TextTable::Align::Right);
  table.addColumn("limited by", TextTable::Align::Left);
  for (size_t i : order) {
    const LayerReport &layer = report.layers[i];
    if (lossOf(layer) == 0)
      break;
    table.addRow(
        {std::to_string(i), names.layer(i), withCommas(layer.figures.cycles), withCommas(layer.figures.rooflineCycles),
         fmt::format("{:.1f}%", percent(lossOf(layer), report.total.cycles)), limitText(layer.figures.boundBy)});
  }
  return table.numRows() == 0 ? "\nevery layer takes its least time\n"
                              : fmt::format("\nlayers that lose most\n{}", table.toString());
}

std::string explainLayer(const Measured &base, const SourceMap &map, const Result<CommandTimes> &times,
                         uint32_t layer) {
  const SourceNames names(map);
  const LayerReport &report = base.report.layers[layer];
  const LayerPlan plan = planOf(map, layer);
  std::string text =
      fmt::format("\nlayer {} {} ({}): {} cycles, {:.1f}% of the network's; at least {}\nlimited by {}\n", layer,
                  names.layer(layer), report.operation, withCommas(report.figures.cycles),
                  percent(report.figures.cycles, base.report.total.cycles), withCommas(report.figures.rooflineCycles),
                  limitText(report.figures.boundBy));
  text += fmt::format("{} commands, the largest makes {} x {} x {}\n", withCommas(plan.tiles.count), plan.tiles.rows,
                      plan.tiles.columns, plan.tiles.channels);
  if (const uint64_t stored = base.model.artefacts.model->layer(layer).weightBytes; stored != 0)
    text += fmt::format("loads {} of constants, {:.1f} times the {} that are stored\n", formatBytes(plan.constantBytes),
                        double(plan.constantBytes) / double(stored), formatBytes(stored));
  if (!times)
    return text + times.status().message() + "\n";
  TextTable table;
  table.addColumn("waits for", TextTable::Align::Left, 56);
  table.addColumn("cycles", TextTable::Align::Right);
  for (const auto &[cause, cycles] : waitsOf(map, *times, layer))
    if (cycles * 100 >= report.figures.cycles)
      table.addRow({causeText(names, cause, layer), withCommas(cycles)});
  return text +
         (table.numRows() == 0 ? "it waits for nothing for as much as 1% of its time\n" : "\n" + table.toString());
}

std::string changeText(const Measured &base, const std::vector<WhatIf> &changes, const LayerReport *layer) {
  TextTable table;
  table.addColumn("with", TextTable::Align::Left);
  table.addColumn("cycles", TextTable::Align::Right);
  table.addColumn("change", TextTable::Align::Right);
  if (layer)
    table.addColumn("of the layer", TextTable::Align::Right);
  const auto change = [](uint64_t now, uint64_t before) {
    return fmt::format("{:+.1f}%", before ? 100.0 * (double(now) / double(before) - 1) : 0.0);
  };
  for (const WhatIf &each : changes) {
    std::vector<std::string> row = {each.change, withCommas(each.cycles),
                                    change(each.cycles, base.report.total.cycles)};
    if (layer)
      row.push_back(each.layerCycles ? change(each.layerCycles, layer->figures.cycles) : "-");
    table.addRow(std::move(row));
  }
  return fmt::format("\nwhat would help (compiled and simulated)\n{}", table.toString());
}

/// The only layer that the text may mean.
Result<uint32_t> findLayer(const cache::ModelCache &model, const std::string &text) {
  const std::vector<uint32_t> found = findLayers(model, text);
  if (found.size() == 1)
    return found.front();
  return invalidArgument(fmt::format("--layer {}: {} of the {} layers have it in their names; 'avocet run' lists them",
                                     text, found.size(), model.numLayers()));
}

Status explain(const ExplainOptions &options) {
  Progress progress;
  ModelChoice choice = options.choice;
  choice.sourceMap = true;
  std::vector<OwnedRemark> remarks;
  if (!options.layer.empty())
    choice.remark = [&](const compiler::Remark &remark) { remarks.emplace_back(remark); };
  AVOCET_ASSIGN_OR_RETURN(Measured base, measure(choice, progress));
  AVOCET_ASSIGN_OR_RETURN(SourceMap map, SourceMap::open(base.model.artefacts.model));
  const LayerReport *layer = nullptr;
  std::string text = summary(base.report);
  if (options.layer.empty()) {
    text += worstLayers(base.report, SourceNames(map));
  } else {
    AVOCET_ASSIGN_OR_RETURN(uint32_t number, findLayer(map.model(), options.layer));
    layer = &base.report.layers[number];
    text += explainLayer(base, map, CommandTimes::from(map, base.profile), number);
    text += decisionText(decisionsAbout(map, number, remarks), base.report.total.cycles);
  }
  if (!options.noChanges) {
    choice.sourceMap = false;
    choice.remark = {};
    AVOCET_ASSIGN_OR_RETURN(auto changes, tryChanges(choice, base, layer ? layer->name : "", progress));
    text += changeText(base, changes, layer);
  }
  printOut("{}", text);
  return Status::ok();
}

} // namespace

void addExplainCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ExplainOptions>();
  CommandLine command = app.addSubcommand("explain", "Explain why a network or a layer takes its time");
  command.setFooter(kExamples);
  command.addText("model", options->choice.path, "Model file (.tflite, .mlir)").required();
  command.addText("-t,--target", options->choice.target, kCompileTargetHelp);
  command.addText("--layer", options->layer, "A layer: its number, its name or a part of it");
  command.addText("--optimise", options->choice.optimise, kOptimiseHelp).valueName("LEVEL|SECONDS");
  command.addFlag("--no-changes", options->noChanges, "Try no changes of the target");
  command.onSelected([options, &action] { action = [options] { return explain(*options); }; });
}

} // namespace avocet::tool
