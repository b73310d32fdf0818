//===- InspectCommand.cpp - avocet inspect ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "InspectJson.h"
#include "InspectTables.h"
#include "avocet/base/StandardStreams.h"

namespace avocet::tool {
namespace {

struct InspectOptions {
  std::string directory;
  bool summary = false;
  bool operands = false;
  bool memoryPlan = false;
  bool layers = false;
  bool commands = false;
  bool json = false;

  bool all() const { return !summary && !operands && !memoryPlan && !layers && !commands; }
};

constexpr const char *kExamples = R"(Examples:
  avocet inspect out                 everything, with every command of every stream
  avocet inspect out --summary       one page: sizes, operands, sums by operation, lengths of streams
  avocet inspect out --memory-plan   buffers with their addresses and times, and what their names mean
  avocet inspect out --layers        layers with their work
  avocet inspect out --json          all but the commands, for programs; with --commands these too
Parts can be combined. For the IR of a phase: avocet compile MODEL --stop-after PHASE -o -)";

void printMemoryPlan(const cache::ModelCache &model) {
  printOut("\n{}\nmemory plan\n{}\n{}", regionTable(model), memoryPlanTable(model), kBufferLegend);
}

Status printSummary(const cache::ModelCache &model) {
  AVOCET_ASSIGN_OR_RETURN(const std::string streams, streamTable(model));
  printOut("\n{}\n{}\n{} buffers in the memory plan (--memory-plan)\n", operationTable(model), streams,
           model.numMemoryEntries());
  return Status::ok();
}

Status printText(const cache::Artefacts &artefacts, const InspectOptions &options) {
  const cache::ModelCache &model = *artefacts.model;
  printOut("{}", sizesText(artefacts));
  if (options.all() || options.summary || options.operands)
    printOut("\n{}", operandTable(model));
  if (options.summary)
    AVOCET_RETURN_IF_ERROR(printSummary(model));
  if (options.all() || options.memoryPlan)
    printMemoryPlan(model);
  if (options.all() || options.layers)
    printOut("\n{}", layerTable(model));
  if (!options.all() && !options.commands)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(const std::string commands, commandText(model));
  printOut("{}", commands);
  return Status::ok();
}

Status inspect(const InspectOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(cache::Artefacts artefacts,
                          cache::readArtefacts(options.directory, cache::DataCheck::Identity));
  if (!options.json)
    return printText(artefacts, options);
  AVOCET_ASSIGN_OR_RETURN(const std::string json, inspectJson(artefacts, options.commands));
  printOut("{}", json);
  return Status::ok();
}

} // namespace

void addInspectCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<InspectOptions>();
  CommandLine command = app.addSubcommand("inspect", "Show what artefacts hold");
  command.setFooter(kExamples);
  command.addText("directory", options->directory, "Directory that 'avocet compile' wrote").required();
  command.addFlag("--summary", options->summary, "One page: sizes, operands, sums by operation, lengths of streams");
  command.addFlag("--operands", options->operands, "Inputs, outputs and states of the network");
  command.addFlag("--memory-plan", options->memoryPlan, "Regions, and buffers with their addresses and steps");
  command.addFlag("--layers", options->layers, "Layers with their work");
  command.addFlag("--commands", options->commands, "Control program and command streams");
  command.addFlag("--json", options->json, "Print JSON, for programs");
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return inspect(*options); }; });
}

} // namespace avocet::tool
