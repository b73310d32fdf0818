//===- SourceJson.cpp - The source map in the data of a report --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceJson.h"

#include "avocet/firmware_iface/Output.h"
#include "avocet/firmware_iface/Reflection.h"
#include "commands/CommandStreams.h"

namespace avocet::tool {
namespace {

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

} // namespace

Json sourceMapJson(const cache::ModelCache &model) {
  Json operators = Json::array(), results = Json::array(), tiles = Json::array();
  for (size_t i = 0; i < model.numSourceEntries(); ++i)
    operators.push_back(operatorJson(model.sourceEntry(i)));
  for (size_t i = 0; i < model.numSourceOperations(); ++i)
    results.push_back(model.sourceOperation(i).name);
  const CommandStreams streams(model);
  for (size_t i = 0; i < streams.numStreams(); ++i)
    if (streams.engine(i).kind != firmware::EngineKind::Dma)
      tiles.push_back(tilesJson(model.stream(i), streams.commands(i)));
  return {{"operators", std::move(operators)}, {"results", std::move(results)}, {"tiles", std::move(tiles)}};
}

} // namespace avocet::tool
