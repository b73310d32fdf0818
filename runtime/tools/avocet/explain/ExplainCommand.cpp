//===- ExplainCommand.cpp - avocet explain ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"
#include "LayerDecisions.h"
#include "avocet/cache/LayerNames.h"
#include "model/HintFiles.h"
#include "model/Optimisation.h"
#include "programs/SubcommandProgram.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

struct ExplainOptions {
  ModelChoice choice;
  std::string layer;
  bool noChanges = false;
  bool printHints = false;
  bool json = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet explain model.tflite -t m512             the layers that lose most time, why, and what would help
  avocet explain model.tflite -t m512 --layer 12  one layer: its tiles, traffic, what it waits for, what the compiler
                                                  decided, and what else it could have done
  avocet explain model.tflite --json              the same for a program
  avocet explain model.tflite --no-changes        without the trials of other targets, which take most of the time
  avocet explain model.tflite --print-hints > hints.json
                                                  hints that fix this schedule, to edit, for --hints of 'avocet compile'
Loss: cycles of the layer in which the network's limit, computation or the off-chip port, does no necessary work.
Overlap, a part of the loss: the layer takes no more than its least time, but the limit could have worked for others.
Alternatives of the compiler have predicted cycles: of the network if nothing else changes, or of the operation or its
largest tile. Changes of the target are compiled and simulated, not estimated.
A network that the target refuses has a block for each operator that is refused: the rule, what was found, what is accepted
and what to do. The exit code is 1. With --layer: only those with this number, tensor or text in their names.)";

/// The only layer that the text may mean.
Result<uint32_t> findLayer(const cache::ModelCache &model, const std::string &text) {
  const std::vector<uint32_t> found = cache::findLayers(model, text);
  if (found.size() == 1)
    return found.front();
  return invalidArgument(fmt::format("--layer {}: {} of the {} layers have it in their names; 'avocet run' lists them",
                                     text, found.size(), model.numLayers()));
}

/// What the target refuses, and why, instead of figures. The status is the error of the whole command.
Status explainRefusals(const ExplainOptions &options, const Status &failure, Progress &progress) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<RefusedOperator> all, refusedOperators(options.choice, progress));
  if (all.empty())
    return failure;
  const std::vector<RefusedOperator> meant = options.layer.empty() ? all : findRefused(all, options.layer);
  if (meant.empty())
    return invalidArgument(fmt::format("--layer {}: none of the {} operators that are refused has it in its name or "
                                       "tensor; leave out --layer to see them",
                                       options.layer, all.size()));
  const std::string target = options.choice.target.empty() ? knobText(knobs::kTarget) : options.choice.target;
  printOut("{}", options.json ? refusalsJson(options.choice.path, target, meant) : refusalText(meant));
  return unsupported(fmt::format("{} operation(s) of the model cannot run on target '{}'", all.size(), target));
}

Result<LayerExplanation> explainLayer(const Explanation &explanation, const std::string &text,
                                      const std::vector<OwnedRemark> &remarks) {
  const SourceMap &map = explanation.map;
  LayerExplanation layer;
  AVOCET_ASSIGN_OR_RETURN(layer.number, findLayer(map.model(), text));
  layer.plan = planOf(map, layer.number);
  layer.storedBytes = map.model().layer(layer.number).weightBytes;
  layer.waits = waitsOf(map, explanation.times, layer.number);
  layer.decisions = decisionsAbout(map, layer.number, remarks);
  return layer;
}

/// The hints that fix the schedule. The network need not run.
Status printHints(ModelChoice choice, Progress &progress) {
  std::vector<OwnedRemark> remarks;
  choice.remark = [&](const compiler::Remark &remark) { remarks.emplace_back(remark); };
  AVOCET_RETURN_IF_ERROR(loadModel(choice, DiagnosticsFormat::Text, progress).status());
  progress.clear();
  printOut("{}", hintFile(remarks));
  return Status::ok();
}

Status explain(const ExplainOptions &options) {
  Progress progress;
  if (options.printHints)
    return printHints(options.choice, progress);
  ModelChoice choice = options.choice;
  choice.sourceMap = true;
  std::vector<OwnedRemark> remarks;
  if (!options.layer.empty())
    choice.remark = [&](const compiler::Remark &remark) { remarks.emplace_back(remark); };
  Result<Measured> base = measure(choice, progress);
  if (!base && base.status().code() == StatusCode::Unsupported)
    return explainRefusals(options, base.status(), progress);
  AVOCET_RETURN_IF_ERROR(base.status());
  AVOCET_ASSIGN_OR_RETURN(Explanation explanation, explainNetwork(std::move(*base)));
  if (!options.layer.empty()) {
    AVOCET_ASSIGN_OR_RETURN(explanation.layer, explainLayer(explanation, options.layer, remarks));
  }
  if (!options.noChanges) {
    choice.sourceMap = false;
    choice.remark = {};
    const analysis::Report &report = explanation.base.report;
    const std::string layer = explanation.layer ? report.layers[explanation.layer->number].name : "";
    AVOCET_ASSIGN_OR_RETURN(explanation.changes, tryChanges(choice, explanation.base, layer, progress));
  }
  printOut("{}", options.json ? explanationJson(explanation) : explanationText(explanation));
  return Status::ok();
}

} // namespace

void addExplainCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ExplainOptions>();
  CommandLine command = addSubcommandOf(app, "explain");
  command.setFooter(kExamples);
  command.addText("model", options->choice.path, "Model file (.tflite, .onnx, .tosa, .mlir)").required();
  command.addText("-t,--target", options->choice.target, kCompileTargetHelp);
  addTrustDataOption(command, options->choice.trustData);
  CommandOption layer = command.addText("--layer", options->layer, "A layer: its number, its name or a part of it");
  addOptions(command, options->choice.inputs);
  command.addText("--optimise", options->choice.optimise, kOptimiseHelp).valueName("LEVEL|SECONDS");
  command.addText("--hints", options->choice.hints, kHintsHelp).valueName("FILE");
  command
      .addFlag("--print-hints", options->printHints,
               "Print the hints that fix the schedule (JSON, one line each), and nothing else")
      .excludes(layer);
  command.addFlag("--json", options->json, "Print JSON, for programs");
  command.addFlag("--no-changes", options->noChanges, "Try no changes of the target");
  command.onSelected([options, &action] { action = [options] { return explain(*options); }; });
}

} // namespace avocet::tool
