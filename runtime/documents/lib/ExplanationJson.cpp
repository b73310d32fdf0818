//===- ExplanationJson.cpp - avocet explain --json --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CleanText.h"
#include "avocet/documents/Diagnostics.h"
#include "avocet/documents/Explanation.h"
#include "avocet/documents/Remarks.h"
#include "avocet/documents/SchemaVersions.h"

#include <nlohmann/json.hpp>

namespace avocet::documents {
namespace {

using Json = nlohmann::ordered_json;

std::string_view nameOf(WaitCause::Kind kind) {
  switch (kind) {
  case WaitCause::Kind::Constants:
    return "constants";
  case WaitCause::Kind::Reload:
    return "reload";
  case WaitCause::Kind::Input:
    return "input";
  case WaitCause::Kind::Result:
    return "result";
  case WaitCause::Kind::Store:
    break;
  }
  return "store";
}

Json figuresJson(const analysis::Figures &figures) {
  return {{"cycles", figures.cycles},
          {"roofline_cycles", figures.rooflineCycles},
          {"device_cycles", figures.deviceCycles},
          {"bound_by", toString(figures.boundBy)},
          {"dram_bytes", figures.dramBytes},
          {"least_dram_bytes", figures.leastDramBytes}};
}

Json fillJson(const analysis::ArrayFill &fill) {
  Json json = {{"part", fill.part()}, {"axes", Json::array()}};
  for (const analysis::AxisFill &axis : fill.axes)
    json["axes"].push_back(textOf(axis));
  return json;
}

Json layerJson(const Explanation &explanation, size_t number) {
  const analysis::LayerReport &layer = explanation.base.report.layers[number];
  Json json = {{"layer", number}, {"name", layer.name}, {"operation", layer.operation}};
  json.update(figuresJson(layer.figures));
  const analysis::Loss &loss = explanation.losses.layers[number];
  json["lost_cycles"] = loss.total();
  json["lost_overlap_cycles"] = loss.overlap;
  if (const auto &fill = explanation.fills[number])
    json["array_fill"] = fillJson(*fill);
  return json;
}

Json waitJson(const WaitCause &cause, uint64_t cycles) {
  Json json = {{"for", nameOf(cause.kind)}, {"cycles", cycles}};
  if (cause.layer != firmware::kNoLayer)
    json["layer"] = cause.layer;
  return json;
}

Json detailsJson(const LayerExplanation &layer) {
  const analysis::LayerTiles &tiles = layer.plan.tiles;
  Json json = {{"layer", layer.number},
               {"section", layer.plan.section},
               {"commands", tiles.count},
               {"largest_tile", {tiles.rows, tiles.columns, tiles.channels}},
               {"loaded_constant_bytes", layer.plan.constantBytes},
               {"stored_constant_bytes", layer.storedBytes}};
  json["waits"] = Json::array();
  for (const auto &[cause, cycles] : layer.waits)
    json["waits"].push_back(waitJson(cause, cycles));
  json["decisions"] = Json::array();
  for (const OwnedRemark &remark : layer.decisions)
    json["decisions"].push_back(remarkJson(remark));
  return json;
}

Json changeJson(const WhatIf &change) {
  Json json = {{"change", change.change}, {"cycles", change.cycles}};
  if (change.layerCycles != 0)
    json["layer_cycles"] = change.layerCycles;
  return json;
}

Json refusedJson(const RefusedOperator &refused) {
  Json json = {{"name", refused.name}, {"tensor", refused.tensor}};
  if (refused.number)
    json["number"] = *refused.number;
  json.update(Json(refusalJson(refused.reason)));
  json["advice"] = refused.advice;
  return json;
}

Json header(const std::string &model, const std::string &target) {
  return {{kSchemaVersionKey, kExplainSchema}, {"model", model}, {"target", target}};
}

/// Names may be any bytes.
std::string textOf(const Json &json) {
  return cleanJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

} // namespace

std::string explanationJson(const Explanation &explanation) {
  const analysis::Report &report = explanation.base.report;
  Json json = header(report.model, report.target);
  json["unsupported"] = Json::array();
  json["network"] = figuresJson(report.total);
  json["network"]["gap_cycles"] = explanation.losses.gap;
  json["network"]["lost_cycles"] = explanation.losses.total;
  json["network"]["limit"] = explanation.losses.isPortLimit ? "port" : "computation";
  json["network"]["overlap_cycles"] = {{"both", report.overlap.both},
                                       {"only_computing", report.overlap.onlyComputing},
                                       {"only_moving", report.overlap.onlyMoving},
                                       {"neither", report.overlap.neither}};
  json["has_values"] = report.computed;
  json["sections"] = Json::array();
  for (const SectionFigures &section : sectionFigures(explanation.map, explanation.times))
    json["sections"].push_back({{"runs", section.runs}, {"cycles", section.cycles}});
  json["layers"] = Json::array();
  for (size_t i = 0; i < report.layers.size(); ++i)
    json["layers"].push_back(layerJson(explanation, i));
  if (explanation.layer)
    json["details"] = detailsJson(*explanation.layer);
  if (explanation.changes) {
    json["changes"] = Json::array();
    for (const WhatIf &change : *explanation.changes)
      json["changes"].push_back(changeJson(change));
  }
  return textOf(json);
}

std::string refusalsJson(const std::string &model, const std::string &target,
                         const std::vector<RefusedOperator> &operators) {
  Json json = header(model, target);
  json["unsupported"] = Json::array();
  for (const RefusedOperator &refused : operators)
    json["unsupported"].push_back(refusedJson(refused));
  return textOf(json);
}

} // namespace avocet::documents
