//===- ExplainCommand.cpp - avocet explain ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplanationText.h"
#include "RefusalText.h"
#include "avocet/documents/Explanation.h"
#include "avocet/documents/Remarks.h"
#include "model/HintFiles.h"
#include "model/ModelSource.h"
#include "model/Optimization.h"
#include "programs/SubcommandProgram.h"

#include "avocet/base/StandardStreams.h"
#include "avocet/documents/Refusals.h"
#include "explain/ExplanationText.h"
#include "explain/RefusalText.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

struct ExplainOptions {
  documents::ExplainRequest request;
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

Status printRefusals(const ExplainOptions &options, const Status &failure, network::Observer &observer) {
  const std::string &model = options.request.choice.path;
  AVOCET_ASSIGN_OR_RETURN(const documents::RefusedNetwork refused,
                          documents::explainRefusals(options.request, failure, observer));
  printOut("{}", options.json ? documents::refusalsJson(model, refused.target, refused.operators)
                              : refusalText(refused.operators));
  return unsupported(
      fmt::format("{} operation(s) of the model cannot run on target '{}'", refused.count, refused.target));
}

/// The hints that fix the schedule. The network need not run.
Status printHints(ModelChoice choice, Progress &progress) {
  std::vector<documents::OwnedRemark> remarks;
  choice.remark = [&](const compiler::Remark &remark) { remarks.emplace_back(remark); };
  AVOCET_RETURN_IF_ERROR(loadModel(choice, DiagnosticsFormat::Text, progress).status());
  progress.clear();
  printOut("{}", documents::hintFile(remarks));
  return Status::ok();
}

Status explain(const ExplainOptions &options) {
  Progress progress;
  if (options.printHints)
    return printHints(options.request.choice, progress);
  PrintingObserver observer(progress, DiagnosticsFormat::TextWithoutRefusals);
  const Result<documents::Explanation> explanation = documents::explainNetwork(options.request, observer);
  if (!explanation && explanation.code() == StatusCode::Unsupported)
    return printRefusals(options, explanation.status(), observer);
  AVOCET_RETURN_IF_ERROR(explanation.status());
  printOut("{}", options.json ? documents::explanationJson(*explanation) : explanationText(*explanation));
  return Status::ok();
}

} // namespace

void addExplainCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ExplainOptions>();
  CommandLine command = addSubcommandOf(app, "explain");
  command.setFooter(kExamples);
  command.addText("model", options->request.choice.path, "Model file (.tflite, .onnx, .tosa, .mlir)").required();
  command.addText("-t,--target", options->request.choice.target, kCompileTargetHelp);
  addTrustDataOption(command, options->request.choice.trustData);
  CommandOption layer =
      command.addText("--layer", options->request.layer, "A layer: its number, its name or a part of it");
  addOptions(command, options->request.choice.inputs);
  command.addText("--optimize", options->request.choice.optimize, kOptimizeHelp).valueName("LEVEL|SECONDS");
  command.addText("--hints", options->request.choice.hints, kHintsHelp).valueName("FILE");
  command
      .addFlag("--print-hints", options->printHints,
               "Print the hints that fix the schedule (JSON, one line each), and nothing else")
      .excludes(layer);
  command.addFlag("--json", options->json, "Print JSON, for programs");
  command.addFlag("--no-changes", options->request.noChanges, "Try no changes of the target");
  command.onSelected([options, &action] { action = [options] { return explain(*options); }; });
}

} // namespace avocet::tool
