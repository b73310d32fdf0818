//===- InspectCommand.cpp - avocet inspect ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InspectTables.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ArtefactDir.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Reflection.h"
#include "programs/SubcommandProgram.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

Json operandJson(const cache::OperandView &operand) {
  Json json = {{"name", operand.name}, {"type", toString(operand.type)}};
  json["shape"] = std::vector<int32_t>(operand.shape.begin(), operand.shape.end());
  json["bytes"] = operand.bytes;
  json["scales"] = std::vector<float>(operand.scales.begin(), operand.scales.end());
  json["zero_points"] = std::vector<int32_t>(operand.zeroPoints.begin(), operand.zeroPoints.end());
  if (operand.scales.size() > 1)
    json["axis"] = operand.axis;
  return json;
}

/// Operands [first, first + count).
template <typename Get> Json operandsJson(Get get, size_t first, size_t count) {
  Json list = Json::array();
  for (size_t i = first; i < first + count; ++i)
    list.push_back(operandJson(get(i)));
  return list;
}

Json regionsJson(const cache::ModelCache &model) {
  Json list = Json::array();
  for (size_t i = 0; i < model.numRegions(); ++i) {
    const cache::Region region = model.region(i);
    list.push_back(
        {{"number", i + 1}, {"kind", toString(region.kind)}, {"index", region.index}, {"bytes", region.bytes}});
  }
  return list;
}

Json memoryPlanJson(const cache::ModelCache &model) {
  Json list = Json::array();
  for (size_t i = 0; i < model.numMemoryEntries(); ++i) {
    const cache::MemoryEntryView entry = model.memoryEntry(i);
    list.push_back({{"name", entry.name},
                    {"region", regionName(entry.region)},
                    {"address", entry.address},
                    {"bytes", entry.bytes},
                    {"first_step", entry.firstStep},
                    {"last_step", entry.lastStep}});
  }
  return list;
}

Json layersJson(const cache::ModelCache &model) {
  Json list = Json::array();
  for (size_t i = 0; i < model.numLayers(); ++i) {
    const cache::LayerView layer = model.layer(i);
    list.push_back({{"name", layer.name},
                    {"operation", layer.operation},
                    {"engine", valueName(layer.engine)},
                    {"macs", layer.macs},
                    {"roofline_cycles", layer.rooflineCycles},
                    {"compute_cycles", layer.computeCycles},
                    {"device_cycles", std::max(layer.deviceCycles, layer.rooflineCycles)},
                    {"weight_bytes", layer.weightBytes},
                    {"input_bytes", layer.inputBytes},
                    {"output_bytes", layer.outputBytes}});
  }
  return list;
}

template <typename Commands> Json textsOf(const Commands &commands) {
  Json texts = Json::array();
  for (const auto &command : commands)
    texts.push_back(firmware::print(command));
  return texts;
}

Result<Json> streamsJson(const cache::ModelCache &model, bool commands) {
  Json list = Json::array();
  for (size_t i = 0; i < model.numStreams(); ++i) {
    const cache::StreamView stream = model.stream(i);
    AVOCET_ASSIGN_OR_RETURN(std::vector<firmware::Command> decoded, firmware::decodeStream(stream.words));
    Json json = {{"engine", valueName(stream.engine.kind)},
                 {"index", stream.engine.index},
                 {"section", stream.section},
                 {"num_commands", decoded.size()},
                 {"bytes", stream.words.size_bytes()}};
    if (commands)
      json["commands"] = textsOf(decoded);
    list.push_back(std::move(json));
  }
  return list;
}

/// What artefacts hold, for programs (schemas/inspect.schema.json). `commands`: also the text of each command.
Result<std::string> inspectJson(const cache::Artefacts &artefacts, bool commands) {
  const cache::ModelCache &model = *artefacts.model;
  Json json = {{documents::kSchemaVersionKey, documents::kInspectSchema},
               {"model", model.modelName()},
               {"target", model.targetName()}};
  json["target_fingerprint"] = fmt::format("{:016x}", model.targetFingerprint());
  json["compiler"] = model.compilerVersion();
  json["model_cache_bytes"] = model.bytes().size();
  json["data_cache_bytes"] = artefacts.data->bytes().size();
  json["sram_peak_bytes"] = model.sramPeakBytes();
  json["scratch_bytes"] = model.scratchBytes();
  json["roofline_cycles"] = model.rooflineCycles();
  json["device_cycles"] = model.deviceCycles();
  json["predicted_cycles"] = model.predictedCycles();
  const size_t states = model.numStates(), inputs = model.numInputs() - states, outputs = model.numOutputs() - states;
  auto input = [&](size_t i) { return model.input(i); };
  json["inputs"] = operandsJson(input, 0, inputs);
  json["outputs"] = operandsJson([&](size_t i) { return model.output(i); }, 0, outputs);
  json["states"] = operandsJson(input, inputs, states);
  json["regions"] = regionsJson(model);
  json["memory_plan"] = memoryPlanJson(model);
  json["layers"] = layersJson(model);
  AVOCET_ASSIGN_OR_RETURN(json["streams"], streamsJson(model, commands));
  if (commands && !model.control().empty()) {
    AVOCET_ASSIGN_OR_RETURN(auto program, firmware::decodeControl(model.control()));
    json["control_program"] = textsOf(program);
  }
  return cleanJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

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
  CommandLine command = addSubcommandOf(app, "inspect");
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
