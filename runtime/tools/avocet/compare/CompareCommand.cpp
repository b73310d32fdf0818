//===- CompareCommand.cpp - avocet compare ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "IsolatedRun.h"
#include "Oracle.h"
#include "avocet/analysis/SourceMap.h"
#include "model/HintFiles.h"
#include "model/Optimization.h"
#include "output/TextTable.h"
#include "programs/SubcommandProgram.h"
#include "run/RunPlace.h"

#include "avocet/base/NumberText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/Output.h"
#include "where/SourceText.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Outcome = ComparedTensor::Outcome;

struct CompareOptions {
  RunOptions run; ///< `model` is the network for the oracle
  std::string compiled;
  std::string against;
  std::string save;
  std::string hints;
  Tolerance tolerance;
  bool all = false;
  bool isolate = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet compare model.tflite --against reference      every tensor against the same network, compiled tensor by tensor
  avocet compare model.tflite --against tflite         against TensorFlow Lite (scripts/setup --clients)
  avocet compare model.tflite --against tflite-reference
                                                       against its reference kernels, in a Python package of it
  avocet compare model.tflite --save good              write all tensors of a run
  avocet compare model.tflite -t m512 --against good   against saved tensors: of another target, option or version
  avocet compare out --against reference --model model.tflite
                                                       artefacts (compiled with -g) instead of a model file
  avocet compare model.tflite --against tflite --isolate
                                                       each operator alone: which ones are wrong themselves?
The run is not changed by the observation: tensors are read from on-chip memory as each tile is written. The first operation that
differs is shown with the element, the tile and the command that wrote it; ask 'avocet where' for more. SQNR is the ratio of the
energy of a tensor to that of its error; in a floating-point network its fall shows where errors grow. With --isolate, each operator
of the file is compiled and run on its own with the oracle's tensors as its inputs, so that no error passes from one to the next. TensorFlow Lite's fast kernels
round and sum in their own ways: give --tolerance for floats, and --tolerance-steps 1 for integers.
The exit code is 1 if a tensor differs.)";

std::string outcomeText(Outcome outcome) {
  switch (outcome) {
  case Outcome::Equal:
    return "equal";
  case Outcome::Differs:
    return "differs";
  case Outcome::OtherForm:
    return "other form";
  case Outcome::Unknown:
    return "not in the oracle";
  case Outcome::NotSeen:
    return "not observed";
  }
  return "";
}

std::string nameOf(const SourceNames &names, const ComparedTensor &tensor) {
  if (tensor.output || tensor.isFurther)
    return fmt::format("'{}'", tensor.name);
  std::string name = names.operation(tensor.operation);
  if (!tensor.part)
    return name;
  const analysis::ElementPlace &begin = tensor.part->begin;
  return fmt::format("{} from {}, {}, {}", name, begin.row, begin.column, begin.channel);
}

std::string valuesOf(const Difference &difference) {
  return line("values", fmt::format("{:.8g} expected, {:.8g} found", difference.expected, difference.found));
}

void addTensorColumns(TextTable &table) {
  table.addColumn("tensor", TextTable::Align::Left, 34);
  for (const char *title : {"differ", "of", "largest", "SQNR dB"})
    table.addColumn(title, TextTable::Align::Right);
}

/// The cells after that of the tensor.
std::vector<std::string> cellsOf(const Difference &difference) {
  return {withCommas(difference.differing), withCommas(difference.elements), fmt::format("{:.4g}", difference.largest),
          fmt::format("{:.1f}", difference.sqnr)};
}

void printTable(const analysis::SourceMap &map, const std::vector<ComparedTensor> &tensors, bool all) {
  TextTable table;
  table.addColumn("#", TextTable::Align::Right);
  addTensorColumns(table);
  const SourceNames names(map);
  for (const ComparedTensor &tensor : tensors) {
    if (!all && tensor.outcome != Outcome::Differs)
      continue;
    const bool isNumbered = !tensor.output && !tensor.isFurther;
    std::vector<std::string> row = {isNumbered ? std::to_string(tensor.operation) : "", nameOf(names, tensor)};
    if (tensor.outcome == Outcome::Differs)
      std::ranges::move(cellsOf(tensor.difference), std::back_inserter(row));
    else
      row.push_back(outcomeText(tensor.outcome));
    table.addRow(std::move(row));
  }
  if (table.numRows() != 0)
    printOut("{}\n", table.toString());
}

/// The first operation that differs, with the commands that wrote its first wrong element.
void printFirst(const analysis::SourceMap &map, const ComparedTensor &tensor) {
  const std::string name = nameOf(SourceNames(map), tensor);
  if (tensor.output || tensor.isFurther) {
    printOut("first difference\n{}{}{}",
             line("tensor", name + (tensor.output ? ", an output" : ", not a first result")),
             line("element", std::to_string(tensor.difference.first)), valuesOf(tensor.difference));
    return;
  }
  const cache::SourceOperationView operation = map.model().sourceOperation(tensor.operation);
  const analysis::ElementPlace element = placeOfElement(operation, tensor.difference.first);
  printOut("first difference\n{}{}{}", line("tensor", name),
           line("element", fmt::format("row {}, column {}, channel {} of {} x {} x {}", element.row, element.column,
                                       element.channel, operation.height, operation.width, operation.channels)),
           valuesOf(tensor.difference));
  for (const cache::SourceEntryView &entry : map.operators(operation.layer))
    printOut("{}", line("operator", operatorText(entry)));
  for (const analysis::CommandPlace &writer : writersOf(map, static_cast<uint32_t>(tensor.operation), element))
    printOut("{}",
             line("written by", fmt::format("{}, {}", map.nameOf(writer),
                                            boxText(map.source(writer), *firstOutput(map.command(writer).body)))));
}

Status reportIsolated(const std::vector<IsolatedResult> &results, bool all) {
  TextTable table;
  table.addColumn("#", TextTable::Align::Right);
  table.addColumn("operator", TextTable::Align::Left);
  addTensorColumns(table);
  if (all)
    table.addColumn("", TextTable::Align::Left);
  size_t differing = 0, equal = 0;
  for (const IsolatedResult &result : results) {
    const bool isKnown = result.obstacle.empty(), differs = isKnown && result.difference.differing != 0;
    differing += differs;
    equal += isKnown && !differs;
    if (!all && !differs)
      continue;
    std::vector<std::string> row = {std::to_string(result.operation), result.kind, result.tensor};
    if (differs)
      std::ranges::move(cellsOf(result.difference), std::back_inserter(row));
    else
      row.insert(row.end(), {"", "", "", "", isKnown ? outcomeText(Outcome::Equal) : result.obstacle});
    table.addRow(std::move(row));
  }
  if (table.numRows() != 0)
    printOut("{}\n", table.toString());
  printOut("{} results of single operators: {} equal, {} differ, {} not compared\n", results.size(), equal, differing,
           results.size() - equal - differing);
  if (equal + differing == 0)
    return failedPrecondition("no operator could be compared; the oracle must be of the same network");
  return differing == 0 ? Status::ok() : internalError(fmt::format("{} results of single operators differ", differing));
}

Status report(const analysis::SourceMap &map, const std::vector<ComparedTensor> &tensors, bool all) {
  const auto count = [&](Outcome outcome) { return std::ranges::count(tensors, outcome, &ComparedTensor::outcome); };
  printTable(map, tensors, all);
  const auto first = std::ranges::find(tensors, Outcome::Differs, &ComparedTensor::outcome);
  if (first != tensors.end())
    printFirst(map, *first);
  printOut("{} tensors: {} equal, {} differ, {} of another form, {} not in the oracle, {} not observed\n",
           tensors.size(), count(Outcome::Equal), count(Outcome::Differs), count(Outcome::OtherForm),
           count(Outcome::Unknown), count(Outcome::NotSeen));
  if (count(Outcome::Equal) + count(Outcome::Differs) == 0)
    return failedPrecondition("no tensor could be compared; the oracle must be of the same network");
  return first == tensors.end() ? Status::ok()
                                : internalError(fmt::format("{} tensors differ", count(Outcome::Differs)));
}

/// The target's name may be that of a file, which only the option knows.
std::string targetOf(const CompareOptions &options, const LoadedModel &model) {
  return options.run.target.empty() ? model.target->name() : options.run.target;
}

Result<ExpectedTensors> expectedTensors(const CompareOptions &options, const LoadedModel &model, Progress &progress) {
  if (runsNetwork(options.against) && std::filesystem::is_directory(options.run.model))
    return invalidArgument(fmt::format("--against {} needs the network of {}; add --model FILE.tflite", options.against,
                                       options.compiled));
  return tensorsOfOracle(options.against, options.run, targetOf(options, model), progress);
}

/// The oracle's own rounding may be the cause of a difference.
Status noteKernels(const CompareOptions &options, Status status) {
  if (options.against == "tflite" && status.code() == StatusCode::Internal)
    printOut(
        "note: TensorFlow Lite ran its default kernels, since its C library cannot run the reference kernels. Avocet\n"
        "computes as the reference kernels do, which --against tflite-reference runs. In some operators the two round\n"
        "differently, as in TANH of int16.\n");
  return status;
}

Status compare(CompareOptions options) {
  if (options.against.empty() && options.save.empty())
    return invalidArgument("give --against " + std::string(kOracles) + ", or --save DIR");
  if (options.run.model.empty())
    options.run.model = options.compiled;
  if (options.isolate && (options.against.empty() || std::filesystem::is_directory(options.compiled)))
    return invalidArgument("--isolate compiles each operator of a network, for comparison with an oracle; give a model "
                           "file and --against " +
                           std::string(kOracles));
  Progress progress;
  ModelChoice choice{options.compiled, options.run.target, ""};
  choice.optimize = options.run.optimize;
  choice.hints = options.hints;
  choice.trustData = options.run.trustData;
  choice.sourceMap = true;
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(choice, DiagnosticsFormat::Text, progress));
  AVOCET_ASSIGN_OR_RETURN(analysis::SourceMap map, analysis::SourceMap::open(model.artefacts.model));
  AVOCET_ASSIGN_OR_RETURN(TensorTrace trace, TensorTrace::run(model, map, options.run));
  if (!options.save.empty())
    AVOCET_RETURN_IF_ERROR(saveTensors(options.save, observedTensors(map, trace)));
  if (options.against.empty())
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(ExpectedTensors expected, expectedTensors(options, model, progress));
  progress.clear();
  if (options.isolate) {
    AVOCET_ASSIGN_OR_RETURN(const auto results, runIsolated(options.run, targetOf(options, model), model,
                                                            std::move(expected), options.tolerance, progress));
    return noteKernels(options, reportIsolated(results, options.all));
  }
  return noteKernels(options, report(map, compareTensors(map, trace, expected, options.tolerance), options.all));
}

} // namespace

void addCompareCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<CompareOptions>();
  CommandLine command = addSubcommandOf(app, "compare");
  command.setFooter(kExamples);
  command.addText("model", options->compiled, "Model file, or directory of artefacts with a source map").required();
  command.addText("--against", options->against, kOracleHelp).valueName(kOracles);
  command.addText("--save", options->save, "Write the tensors of the run to this directory").valueName("DIR");
  command.addText("--model", options->run.model, "The network of the artefacts, for the oracle").valueName("FILE");
  command.addText("-t,--target", options->run.target, kRunTargetHelp);
  command.addText("--optimize", options->run.optimize, kOptimizeHelp).valueName("LEVEL|SECONDS");
  CommandOption hints = command.addText("--hints", options->hints, kHintsHelp);
  hints.valueName("FILE");
  addTrustDataOption(command, options->run.trustData);
  addOracleOptions(command, options->run, options->tolerance);
  command
      .addFlag("--isolate", options->isolate,
               "Compile and run each operator alone, with the expected tensors as its inputs")
      .excludes(hints);
  command.addFlag("--all", options->all, "List all tensors, not only those that differ");
  command.onSelected([options, &action] { action = [options] { return compare(*options); }; });
}

} // namespace avocet::tool
