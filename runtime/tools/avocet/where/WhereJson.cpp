//===- WhereJson.cpp - Answers of avocet where, as JSON ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhereJson.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/base/CleanText.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/firmware_iface/Reflection.h"

#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
public:
  explicit Writer(const WhereReport &report) : report_(report), map_(report.map()) {}

  Json write(const WhereAnswer &answer) const {
    Json json = {{documents::kSchemaVersionKey, documents::kWhereSchema},
                 {"model", map_.modelName()},
                 {"target", map_.model().targetName()},
                 {"cycles", report_.times().cycles()}};
    json["runs"] = Json::array();
    for (const analysis::SectionRun &run : report_.times().runs())
      json["runs"].push_back({{"section", run.section}, {"start", run.range.start}, {"end", run.range.end}});
    if (answer.run)
      json["run"] = *answer.run;
    json["commands"] = Json::array();
    for (const analysis::CommandPlace &place : answer.commands)
      json["commands"].push_back(command(place));
    json["buffers"] = Json::array();
    for (size_t entry : answer.buffers)
      json["buffers"].push_back(buffer(entry, answer.run));
    json["layers"] = Json::array();
    for (uint32_t each : answer.layers)
      json["layers"].push_back(layerWithCommands(each));
    if (answer.writer)
      json["last_writer"] = command(*answer.writer);
    if (answer.element)
      json["element"] = {answer.element->row, answer.element->column, answer.element->channel};
    return json;
  }

private:
  /// The ranges of all runs that have one.
  template <typename RangeIn> Json rangesOf(RangeIn &&rangeIn) const {
    Json json = Json::array();
    for (size_t run = 0; run < report_.times().runs().size(); ++run)
      if (const std::optional<analysis::CycleRange> range = rangeIn(run))
        json.push_back({{"run", run}, {"start", range->start}, {"end", range->end}});
    return json;
  }

  Json operation(uint32_t number) const {
    const cache::SourceOperationView view = map_.model().sourceOperation(number);
    return {{"number", number},
            {"tensor", view.name},
            {"type", toString(view.type)},
            {"shape", {view.height, view.width, view.channels}}};
  }

  Json layer(uint32_t number) const {
    const cache::LayerView view = map_.model().layer(number);
    Json json = {{"number", number}, {"name", view.name}, {"operation", view.operation}};
    json["operators"] = Json::array();
    for (const cache::SourceEntryView &entry : map_.operators(number)) {
      Json each = {{"kind", entry.kind}, {"location", entry.location}};
      if (entry.operation != cache::kNoSource)
        each["number"] = entry.operation;
      json["operators"].push_back(std::move(each));
    }
    return json;
  }

  Json layerWithCommands(uint32_t number) const {
    Json json = layer(number);
    json["streams"] = Json::array();
    for (size_t stream = 0; stream < map_.numStreams(); ++stream)
      if (const auto commands = report_.commandsOf(stream, number))
        json["streams"].push_back(
            {{"stream", map_.streamName(stream)},
             {"section", map_.section(stream)},
             {"commands", commands->count},
             {"first", map_.nameOf({stream, commands->first})},
             {"last", map_.nameOf({stream, commands->last})},
             {"cycles", rangesOf([&](size_t run) { return report_.rangeOf(stream, number, run); })}});
    return json;
  }

  Json contents(const cache::MemoryEntryView &entry) const {
    Json json = {{"memory", report_.memoryName(entry.region)}, {"address", entry.address}, {"bytes", entry.bytes}};
    if (entry.operation != cache::kNoSource) {
      json["holds"] = analysis::roleOf(entry);
      json["operation"] = operation(entry.operation);
    } else {
      json["holds"] = entry.region == firmware::kSramRegion ? "input" : report_.memoryName(entry.region);
    }
    return json;
  }

  Json buffer(size_t number, std::optional<size_t> run) const {
    const cache::MemoryEntryView entry = map_.model().memoryEntry(number);
    Json json = contents(entry);
    json["first_step"] = entry.firstStep;
    json["last_step"] = entry.lastStep;
    if (const auto time = report_.timeOf(number, run))
      json["cycles"] = {{"start", time->start}, {"end", time->end}};
    if (entry.operation != cache::kNoSource)
      json["layer"] = layer(map_.model().sourceOperation(entry.operation).layer);
    return json;
  }

  void addTile(Json &json, const analysis::CommandPlace &place) const {
    const cache::SourceCommand &source = map_.source(place);
    if (source.operation == cache::kNoSource)
      return;
    json["operation"] = operation(source.operation);
    if (const firmware::FeatureMap *output = firstOutput(map_.command(place).body))
      json["tile"] = {{"from", {source.row, source.column, source.channel}},
                      {"shape", {output->height, output->width, output->channels}}};
  }

  Json command(const analysis::CommandPlace &place) const {
    const firmware::Command &command = map_.command(place);
    Json json = {{"name", map_.nameOf(place)},
                 {"kind", nameOf(command.body)},
                 {"section", map_.section(place.stream)},
                 {"cycles", rangesOf([&](size_t run) { return report_.times().of(place, run); })}};
    if (const uint32_t step = map_.source(place).step; step != cache::kNoSource)
      json["step"] = step;
    addTile(json, place);
    if (command.layer != firmware::kNoLayer)
      json["layer"] = layer(command.layer);
    if (const auto signal = report_.order().signalOf(place))
      json["waits_for"] = map_.nameOf(*signal);
    json["awaited_by"] = Json::array();
    for (const analysis::CommandPlace &waiting : report_.order().waitsOf(place))
      json["awaited_by"].push_back(map_.nameOf(waiting));
    json["buffers"] = Json::array();
    for (const BufferUse &use : report_.buffersOf(place)) {
      Json each = {{"access", use.isWrite ? "write" : "read"}};
      each.update(contents(map_.model().memoryEntry(use.entry)));
      json["buffers"].push_back(std::move(each));
    }
    json["encoded"] = print(command);
    return json;
  }

  const WhereReport &report_;
  const analysis::SourceMap &map_;
};

} // namespace

std::string whereJson(const WhereReport &report, const WhereAnswer &answer) {
  // Names may be any bytes.
  return cleanJson(Writer(report).write(answer).dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

} // namespace avocet::tool
