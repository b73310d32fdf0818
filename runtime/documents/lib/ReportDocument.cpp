//===- ReportDocument.cpp - The data of a report ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/ReportDocument.h"
#include "avocet/analysis/CommandStreams.h"
#include "avocet/analysis/Report.h"
#include "avocet/analysis/RunTimeline.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/documents/IrText.h"
#include "avocet/documents/LayerDecisions.h"
#include "avocet/documents/MemoryMap.h"
#include "avocet/documents/Remarks.h"
#include "avocet/documents/RunJson.h"
#include "avocet/firmware_iface/Names.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/session/Inputs.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::documents {
namespace {

using compiler::RemarkKind;

constexpr std::pair<const char *, const char *> kNumbers[] = {{"cycles", "Cycles"},
                                                              {"cycles_change", "CyclesChange"},
                                                              {"needs_bytes", "NeedsBytes"},
                                                              {"has_bytes", "HasBytes"},
                                                              {"stored_bytes", "StoredBytes"}};

/// "taken", "missed" or "failed". A plan that was taken until a better one was found was missed.
const char *outcomeOf(const OwnedRemark &remark, const Decision &decision) {
  if (&remark == decision.taken())
    return "taken";
  return remark.kind == RemarkKind::Failed ? "failed" : "missed";
}

Json choiceJson(const OwnedRemark &remark, const Decision &decision) {
  const bool isOutdone = remark.kind == RemarkKind::Passed && &remark != decision.taken();
  Json json = {{"outcome", outcomeOf(remark, decision)},
               {"choice", remark.argument("Choice")},
               {"reason", isOutdone ? "another plan is better" : remark.argument("Reason")}};
  for (const auto &[key, argument] : kNumbers)
    if (const auto number = remark.number(argument))
      json[key] = *number;
  return json;
}

/// The value of "decisions" in the data of a report.
Json decisionsJson(const cache::ModelCache &model, const std::vector<OwnedRemark> &remarks) {
  Json list = Json::array();
  for (const Decision &decision : groupDecisions(model, remarks)) {
    const OwnedRemark &first = *decision.choices.front();
    Json json = {{"name", first.name}, {"layers", decision.layers}, {"choices", Json::array()}};
    if (decision.layers.empty())
      json["location"] = first.location;
    for (const OwnedRemark *remark : decision.choices)
      json["choices"].push_back(choiceJson(*remark, decision));
    list.push_back(std::move(json));
  }
  return list;
}

/// Adds "predicted_cycles" to the layers of a report for which the compiler predicted them.
void addPredictions(const std::vector<OwnedRemark> &remarks, Json &layers) {
  for (const OwnedRemark &remark : remarks) {
    const auto layer = remark.number("Layer"), cycles = remark.number("Cycles");
    if (remark.kind == RemarkKind::Analysis && remark.name == "layer" && layer && cycles &&
        static_cast<uint64_t>(*layer) < layers.size())
      layers[static_cast<size_t>(*layer)]["predicted_cycles"] = *cycles;
  }
}

Json operatorJson(const cache::SourceEntryView &entry) {
  Json json = {{"layer", entry.layer}, {"kind", entry.kind}, {"location", entry.location}};
  if (entry.operation != cache::kNoSource)
    json["number"] = entry.operation;
  return json;
}

/// The tiles of a stream, eight numbers each.
Json tilesJson(const cache::StreamView &stream, std::span<const firmware::Command> commands) {
  Json values = Json::array();
  for (size_t i = 0; i < stream.sources.size(); ++i) {
    const cache::SourceCommand &source = stream.sources[i];
    const firmware::FeatureMap *output = firmware::firstOutput(commands[i].body);
    if (!output || source.operation == cache::kNoSource)
      continue;
    for (uint64_t number :
         {uint64_t{i}, uint64_t{source.operation}, uint64_t{source.row}, uint64_t{source.column},
          uint64_t{source.channel}, uint64_t{output->height}, uint64_t{output->width}, uint64_t{output->channels}})
      values.push_back(number);
  }
  return {{"engine", valueName(stream.engine.kind)},
          {"index", stream.engine.index},
          {"section", stream.section},
          {"values", std::move(values)}};
}

/// `source_map` of report.schema.json. Its lists are empty if the model has no source map.
Json sourceMapJson(const cache::ModelCache &model) {
  Json operators = Json::array(), results = Json::array(), tiles = Json::array();
  for (size_t i = 0; i < model.numSourceEntries(); ++i)
    operators.push_back(operatorJson(model.sourceEntry(i)));
  for (size_t i = 0; i < model.numSourceOperations(); ++i)
    results.push_back(model.sourceOperation(i).name);
  const analysis::CommandStreams streams(model);
  for (size_t i = 0; i < streams.numStreams(); ++i)
    if (streams.engine(i).kind != firmware::EngineKind::Dma)
      tiles.push_back(tilesJson(model.stream(i), streams.commands(i)));
  return {{"operators", std::move(operators)}, {"results", std::move(results)}, {"tiles", std::move(tiles)}};
}

constexpr size_t kShortName = 40;
constexpr size_t kMostIrBytes = size_t{16} << 20; // of a phase, constants left out

/// A list of pairs [value, how many times] in one flat array.
Json runsOf(const std::vector<int32_t> &values) {
  Json runs = Json::array();
  for (size_t begin = 0; begin < values.size();) {
    size_t end = begin;
    while (end < values.size() && values[end] == values[begin])
      ++end;
    runs.push_back(values[begin]);
    runs.push_back(end - begin);
    begin = end;
  }
  return runs;
}

int64_t layerNumber(uint32_t layer) { return layer == firmware::kNoLayer ? -1 : int64_t{layer}; }

Json targetJson(const firmware::Target &target) {
  return {{"name", target.name()},
          {"clock_hz", target.clockHz()},
          {"sram_bytes", target.sram().bytes},
          {"macs_per_cycle", target.macsPerCycle(firmware::DataType::Int8)},
          {"dram_bytes_per_cycle",
           static_cast<double>(target.dram().bandwidth.count) / static_cast<double>(target.dram().bandwidth.cycles)},
          {"sram_port_bytes_per_cycle", target.sram().portBytesPerCycle},
          {"dma_channels", target.dma().channels}};
}

Json trafficJson(const analysis::LayerTraffic &traffic) {
  return {{"constants", traffic.constants},
          {"scratch", traffic.scratch},
          {"inputs", traffic.inputs},
          {"outputs", traffic.outputs}};
}

Json layerTable(const cache::ModelCache &model, const session::RunRecord &record,
                const analysis::RunTimeline &timeline) {
  const std::vector<std::string> shortNames = cache::layerNames(model, kShortName);
  Json layers = Json::array();
  for (size_t i = 0; i < model.numLayers(); ++i) {
    const cache::LayerView view = model.layer(i);
    layers.push_back({{"short_name", shortNames[i]},
                      {"weight_bytes", view.weightBytes},
                      {"input_bytes", view.inputBytes},
                      {"output_bytes", view.outputBytes},
                      {"start_cycle", 0},
                      {"end_cycle", 0},
                      {"commands", 0},
                      {"transfers", trafficJson(timeline.traffic[i])}});
  }
  for (const firmware::LayerCounters &counters : record.profile.layers) {
    if (counters.layer >= layers.size())
      continue;
    Json &layer = layers[counters.layer];
    layer["start_cycle"] = counters.startCycle;
    layer["end_cycle"] = counters.endCycle;
    layer["commands"] = counters.commands;
  }
  return layers;
}

Json trackJson(const analysis::Track &track, bool isStraight) {
  Json command = Json::array(), layer = command, operation = command, start = command, cycles = command, run = command;
  for (const analysis::TimedCommand &timed : track.commands) {
    command.push_back(timed.command);
    layer.push_back(layerNumber(timed.layer));
    operation.push_back(timed.operation);
    start.push_back(timed.startCycle);
    cycles.push_back(timed.endCycle - timed.startCycle);
    run.push_back(timed.run);
  }
  const std::string title(firmware::titleOf(track.engine.kind));
  const bool isDma = track.engine.kind == firmware::EngineKind::Dma;
  Json json = {{"engine", firmware::valueName(track.engine.kind)},
               {"index", track.engine.index},
               {"title", isDma ? fmt::format("{} {}", title, track.engine.index) : title},
               {"command", command},
               {"layer", layer},
               {"operation", operation},
               {"start", start},
               {"cycles", cycles},
               {"dram_bytes", isDma ? Json(track.dramBytes) : Json::array()},
               {"sram_bytes", track.sramBytes}};
  if (!isStraight)
    json["run"] = std::move(run);
  return json;
}

/// Five numbers for each link: track and place of its ends, place of the wait.
Json linksJson(const analysis::RunTimeline &timeline) {
  Json links = Json::array();
  for (const analysis::SemaphoreLink &link : timeline.links)
    for (int64_t number : {int64_t{link.from.track}, int64_t{link.from.command}, int64_t{link.to.track},
                           int64_t{link.to.command}, link.wait})
      links.push_back(number);
  return links;
}

Json memoryJson(const MemoryMap &map) {
  Json buffers = Json::array();
  for (const MappedBuffer &buffer : map.buffers) {
    if (buffer.region != firmware::kSramRegion)
      continue;
    buffers.push_back({{"name", buffer.name},
                       {"address", buffer.address},
                       {"bytes", buffer.bytes},
                       {"first_step", buffer.firstStep},
                       {"last_step", buffer.lastStep},
                       {"start_cycle", buffer.startCycle},
                       {"end_cycle", buffer.endCycle},
                       {"layer", layerNumber(buffer.layer)},
                       {"tensor", buffer.tensor}});
  }
  return {{"match", toString(map.match)}, {"buffers", buffers}, {"tensors", map.tensors}};
}

Json irJson(const IrText &phase) {
  Json streams = Json::array();
  for (const StreamLines &stream : phase.streams)
    streams.push_back({{"engine", stream.engine}, {"index", stream.index}, {"first_line", stream.firstLine}});
  const bool isCut = phase.text.size() > kMostIrBytes;
  std::string text = phase.text;
  if (isCut)
    text.resize(text.rfind('\n', kMostIrBytes) + 1);
  return {{"phase", phase.phase},
          {"text", text},
          {"is_cut", isCut},
          {"layers", runsOf(phase.layers)},
          {"streams", streams}};
}

Json graphJson(const IrText &phase) {
  Json nodes = Json::array(), edges = Json::array();
  for (const GraphNode &node : phase.nodes)
    nodes.push_back({{"operation", node.operation},
                     {"name", node.name},
                     {"type", node.type},
                     {"layer", node.layer},
                     {"line", node.line}});
  for (const auto &[from, to] : phase.edges) {
    edges.push_back(from);
    edges.push_back(to);
  }
  return {{"phase", phase.phase}, {"nodes", nodes}, {"edges", edges}};
}

/// The IR of a file, the commands of artefacts.
Result<std::vector<IrText>> phasesOf(const network::ModelChoice &choice, const ReportOptions &options,
                                     const cache::ModelCache &model, const LayersByName &layers,
                                     network::Observer &observer) {
  std::vector<IrText> phases;
  if (options.withIr && (!choice.bytes.empty() || !std::filesystem::is_directory(choice.path))) {
    AVOCET_ASSIGN_OR_RETURN(phases, collectIr(choice, layers, observer));
    return phases;
  }
  phases.push_back(disassemble(model));
  return phases;
}

/// Of each run of a section; empty for artefacts without a source map.
std::vector<analysis::StepTimes> stepsOf(const session::LoadedModel &loaded, const firmware::JobProfile &profile) {
  std::vector<analysis::StepTimes> steps;
  const Result<analysis::SourceMap> map = analysis::SourceMap::open(loaded.artefacts.model);
  if (!map)
    return steps;
  const analysis::CommandTimes times = analysis::CommandTimes::from(*map, profile);
  for (size_t run = 0; run < times.runs().size(); ++run)
    steps.emplace_back(*map, times, run);
  return steps;
}

Json sectionsJson(const analysis::RunTimeline &timeline) {
  Json sections = Json::array();
  for (const analysis::SectionRun &run : timeline.runs)
    sections.push_back({{"section", run.section}, {"start", run.range.start}, {"end", run.range.end}});
  return sections;
}

LayersByName layersOf(const cache::ModelCache &model) {
  std::vector<std::string> names;
  for (size_t i = 0; i < model.numLayers(); ++i)
    names.emplace_back(model.layer(i).name);
  return indexNames(names);
}

void addPhases(Json &document, const std::vector<IrText> &phases) {
  document["ir"] = Json::array();
  document["graphs"] = Json::array();
  for (const IrText &phase : phases) {
    document["ir"].push_back(irJson(phase));
    if (phase.phase == "import" || phase.phase == "place")
      document["graphs"].push_back(graphJson(phase));
  }
}

} // namespace

Result<Json> makeDocument(const network::ModelChoice &choice, const ReportOptions &options,
                          network::Observer &observer) {
  network::ModelChoice mapped = choice;
  mapped.sourceMap = true;
  std::vector<OwnedRemark> remarks;
  mapped.remark = [&](const compiler::Remark &remark) { remarks.emplace_back(remark); };
  AVOCET_ASSIGN_OR_RETURN(session::LoadedModel loaded, loadModel(mapped, observer));
  const cache::ModelCache &model = *loaded.artefacts.model;
  observer.stage("running");
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runProfiled(loaded, {}));
  const session::RunRecord &record = run.record;
  const LayersByName layers = layersOf(model);
  AVOCET_ASSIGN_OR_RETURN(std::vector<IrText> phases, phasesOf(choice, options, model, layers, observer));
  observer.stage("collecting the report");
  const analysis::RunTimeline timeline = analysis::makeTimeline(model, record.profile);
  const analysis::Report report = analysis::makeReport(loaded, run.device, record);

  Json document = {{"format", "avocet-report"}, {"version", kReportVersion}};
  document["model"] = loaded.name;
  document["source"] = choice.path;
  document["optimize"] = choice.optimize;
  document["compiler"] = model.compilerVersion();
  document["target"] = targetJson(*loaded.target);
  document["figures"] = Json::parse(runJson(report));
  document["layers"] = layerTable(model, record, timeline);
  addPredictions(remarks, document["layers"]);
  document["decisions"] = decisionsJson(model, remarks);
  document["transfers_without_layer"] = trafficJson(timeline.traffic.back());
  document["operations"] = firmware::kOperationNames;
  document["tracks"] = Json::array();
  for (const analysis::Track &track : timeline.tracks)
    document["tracks"].push_back(trackJson(track, timeline.isStraight));
  document["links"] = linksJson(timeline);
  document["is_straight"] = timeline.isStraight;
  document["sections"] = sectionsJson(timeline);
  document["memory"] = memoryJson(makeMemoryMap(model, timeline, stepsOf(loaded, record.profile)));
  addPhases(document, phases);
  document["source_map"] = sourceMapJson(model);
  observer.clear();
  return document;
}

std::string documentText(const Json &document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace avocet::documents
