//===- ReportCommand.cpp - avocet report ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CycleGrowth.h"
#include "DocumentFile.h"
#include "ReportPage.h"
#include "avocet/base/File.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/StandardStreams.h"
#include "model/ModelSource.h"
#include "model/Optimization.h"
#include "output/TextTable.h"
#include "programs/SubcommandProgram.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

struct ReportCommandOptions {
  std::vector<std::string> models;
  std::vector<std::string> targets;
  std::vector<std::string> optimize;
  std::string signature;
  OpenInputs open;
  std::string output;
  std::string data;
  std::string maxGrowth;
  bool compare = false;
  bool withoutIr = false;
  bool trustData = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet report model.tflite -o report.html          one page: layers, decisions, time line, memory, graph, IR
  avocet report model.tflite -t m512 --data m512.json -o report.html
                                                     also the data, for programs and later comparisons
  avocet report out -o report.html                   of artefacts: commands instead of IR
  avocet report --compare model.tflite -t e256 -t m512 -o targets.html
                                                     one model on two targets, side by side
  avocet report --compare model.tflite --optimize 0 --optimize 2 -o options.html
                                                     two levels of the schedule
  avocet report --compare before.json model.tflite -o change.html
                                                     saved data of another version, and today's
  avocet report --compare before.json model.tflite --max-growth 1%
                                                     only the cycles, as a table; exit code 1 if they grow by more than 1 %
The page needs no network and no other file. Its tables are readable without JavaScript. The run is simulated, with random
inputs. report.schema.json (runtime/tools/avocet/schemas) describes the data.)";

/// The value for run number `index`; one value is for both.
std::string valueFor(const std::vector<std::string> &values, size_t index) {
  return values.empty() ? "" : values[std::min(index, values.size() - 1)];
}

Status checkOptions(const ReportCommandOptions &options) {
  if (!options.compare && !options.maxGrowth.empty())
    return invalidArgument("--max-growth: one run was given; add --compare for two");
  if (options.output.empty() && options.data.empty() && !options.compare)
    return invalidArgument("no file for the report was given; add -o FILE, or --data FILE for its data");
  if (!options.compare && options.models.size() > 1)
    return invalidArgument(
        fmt::format("{} models were given, a report is of one; add --compare for two", options.models.size()));
  if (options.models.size() > 2)
    return invalidArgument(fmt::format("--compare: {} models were given, must be 1 or 2", options.models.size()));
  if (options.compare && !options.data.empty())
    return invalidArgument("--data: holds the data of one run; write it without --compare");
  const size_t runs = options.compare ? 2 : 1;
  for (const auto &[name, values] :
       {std::pair("--target", &options.targets), std::pair("--optimize", &options.optimize)})
    if (values->size() > runs)
      return invalidArgument(fmt::format("{}: {} values were given for {} {}", name, values->size(), runs,
                                         runs == 1 ? "run; add --compare for two" : "runs"));
  for (const std::string &optimize : options.optimize)
    if (optimize.ends_with('s'))
      return invalidArgument(
          fmt::format("--optimize {}: a report needs a level (0 to 3); it compiles several times, and "
                      "searches that end by the clock differ",
                      optimize));
  const bool isOne = options.models.size() == 1 && options.targets.size() < 2 && options.optimize.size() < 2;
  if (options.compare && isOne)
    return invalidArgument("--compare: only one run was given; name two models, or give -t or --optimize twice");
  return Status::ok();
}

Result<Json> loadRun(const ReportCommandOptions &options, size_t index, Progress &progress) {
  const std::string &path = options.models[std::min(index, options.models.size() - 1)];
  if (path.ends_with(".json")) {
    progress.stage("reading " + path);
    return readDocument(path);
  }
  PrintingObserver observer(progress, DiagnosticsFormat::Text);
  return documents::makeDocument({path, valueFor(options.targets, index), options.signature, options.open,
                                  valueFor(options.optimize, index), options.trustData},
                                 {.withIr = !options.withoutIr}, observer);
}

/// Writes a file and prints its name and size.
Status writeNamed(const std::string &path, const std::string &text) {
  AVOCET_RETURN_IF_ERROR(writeFile(path, text));
  if (path != "-")
    printOut("{}  {}\n", path, formatBytes(text.size()));
  return Status::ok();
}

Status writePage(const std::string &path, const std::vector<Json> &runs, Progress &progress) {
  progress.stage("writing the page");
  AVOCET_ASSIGN_OR_RETURN(std::string page, makePage(runs));
  progress.clear();
  return writeNamed(path, page);
}

Status report(const ReportCommandOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkOptions(options));
  double mostGrowth = std::numeric_limits<double>::infinity();
  if (!options.maxGrowth.empty()) {
    AVOCET_ASSIGN_OR_RETURN(mostGrowth, parseGrowth(options.maxGrowth));
  }
  Progress progress;
  std::vector<Json> runs;
  for (size_t i = 0; i < (options.compare ? 2 : 1); ++i) {
    AVOCET_ASSIGN_OR_RETURN(Json run, loadRun(options, i, progress));
    runs.push_back(std::move(run));
  }
  progress.clear();
  if (!options.data.empty())
    AVOCET_RETURN_IF_ERROR(writeNamed(options.data, documents::documentText(runs[0])));
  if (!options.output.empty())
    AVOCET_RETURN_IF_ERROR(writePage(options.output, runs, progress));
  if (!options.compare)
    return Status::ok();
  if (options.output != "-")
    printOut("{}", cycleTable(runs[0], runs[1]));
  return checkGrowth(runs[0], runs[1], mostGrowth);
}

} // namespace

void addReportCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ReportCommandOptions>();
  CommandLine command = addSubcommandOf(app, "report");
  command.setFooter(kExamples);
  command
      .addTexts(
          "models", options->models,
          "Model file (.tflite, .onnx, .tosa, .mlir), directory of artefacts, or data of an earlier report (.json)")
      .required();
  command.addText("-o,--output", options->output, "HTML file; - for the standard output");
  command.addFlag("--compare", options->compare,
                  "Compare two runs: of two models, or of one with two targets or two levels; print a table of their "
                  "cycles");
  command
      .addText("--max-growth", options->maxGrowth,
               "With --compare: end with exit code 1 if the second run takes more than this more cycles, as 1%")
      .valueName("PERCENT");
  command
      .addTexts(
          "-t,--target", options->targets,
          "Device: a name from 'avocet targets' or a target file; with --compare once for both runs or once for each; "
          "default: the artefacts' own, or e256")
      .oneEach();
  command.addText("--signature", options->signature, kSignatureHelp);
  addOptions(command, options->open);
  command
      .addTexts("--optimize", options->optimize,
                "Effort for the schedule: 0 to 3; with --compare once for both runs or once for each; default: 1")
      .oneEach()
      .valueName("LEVEL");
  addTrustDataOption(command, options->trustData);
  command.addText("--data", options->data, "Write the data of the report to this file (JSON)").valueName("FILE");
  command.addFlag("--without-ir", options->withoutIr,
                  "Leave out the IR of the phases: a quicker command and a smaller file");
  command.onSelected([options, &action] { action = [options] { return report(*options); }; });
}

} // namespace avocet::tool
