//===- SyntheticReport.cpp - Large data of a report for tests ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntheticReport.h"

#include <string>

namespace avocet::tool::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kCycles = 100; // of a command

Json figures(uint64_t cycles) {
  return {{"cycles", cycles},
          {"roofline_cycles", cycles / 2},
          {"device_cycles", cycles / 2 + cycles / 4},
          {"compute_cycles", cycles / 2},
          {"least_dram_bytes", cycles},
          {"macs", 64 * cycles},
          {"executed_macs", 64 * cycles},
          {"utilization", 0.25},
          {"stall_cycles", {{"semaphore", cycles / 10}}},
          {"sram_peak_bytes", 4096},
          {"sram_bytes", 8 * cycles},
          {"dram_bytes", cycles + cycles % 977},
          {"energy_picojoules", 1.5 * static_cast<double>(cycles)},
          {"bound_by", "array"}};
}

Json transfers(uint64_t bytes) { return {{"constants", bytes}, {"scratch", 0}, {"inputs", 0}, {"outputs", 0}}; }

Json layer(size_t index, uint64_t start, uint64_t end, size_t commands) {
  return {{"short_name", "layer " + std::to_string(index)},
          {"weight_bytes", 100},
          {"input_bytes", 1000},
          {"output_bytes", 1000},
          {"start_cycle", start},
          {"end_cycle", end},
          {"commands", commands},
          {"predicted_cycles", (end - start) * (90 + index % 20) / 100},
          {"transfers", transfers(end - start)}};
}

/// Commands number 0 to `count` - 1, every `perLayer` of which belong to one layer.
Json track(const std::string &engine, size_t operation, size_t count, size_t perLayer) {
  Json track = {{"engine", engine}, {"index", 0}, {"title", engine}};
  for (const char *list : {"command", "layer", "operation", "start", "cycles", "dram_bytes", "sram_bytes"})
    track[list] = Json::array();
  for (size_t i = 0; i < count; ++i) {
    track["command"].push_back(i);
    track["layer"].push_back(i / perLayer);
    track["operation"].push_back(i % 10 == 9 ? 1 : operation); // some are waits
    track["start"].push_back(i * kCycles);
    track["cycles"].push_back(kCycles + (i * 37) % 50);
    track["sram_bytes"].push_back(kCycles * (i % 8));
    if (engine == "dma")
      track["dram_bytes"].push_back(kCycles);
  }
  return track;
}

/// A cascade with as many alternatives as the compiler lists.
Json decision(size_t layer) {
  constexpr size_t kAlternatives = 12;
  Json choices = Json::array();
  for (size_t i = 0; i <= kAlternatives; ++i)
    choices.push_back({{"outcome", i == 0   ? "taken"
                                   : i <= 8 ? "missed"
                                            : "failed"},
                       {"choice", "with the next " + std::to_string(i) + " operations, 8 of 56 rows at a time"},
                       {"reason", i == 0 ? "fewest predicted cycles" : "more predicted cycles"},
                       {"cycles_change", 100 * i},
                       {"needs_bytes", 300'000 * i},
                       {"has_bytes", 2 << 20}});
  return {{"name", "cascade"}, {"layers", {layer}}, {"choices", choices}};
}

Json links(size_t count) {
  Json links = Json::array();
  for (size_t i = 10; i < count; i += 10)
    for (int64_t number :
         {int64_t{1}, static_cast<int64_t>(i) - 2, int64_t{0}, static_cast<int64_t>(i), static_cast<int64_t>(i) - 1})
      links.push_back(number);
  return links;
}

} // namespace

Json syntheticReport(size_t numLayers, size_t numCommands) {
  const size_t perTrack = numCommands / 2, perLayer = perTrack / numLayers;
  const uint64_t cycles = perTrack * kCycles, layerCycles = perLayer * kCycles;
  Json document = {{"format", "avocet-report"}, {"version", 1},   {"model", "large"},
                   {"source", "large"},         {"optimize", ""}, {"compiler", "test"}};
  document["target"] = {
      {"name", "e256"},        {"clock_hz", 500'000'000},     {"sram_bytes", 2 << 20}, {"sram_port_bytes_per_cycle", 8},
      {"macs_per_cycle", 256}, {"dram_bytes_per_cycle", 1.0}, {"dma_channels", 1}};
  document["figures"] = figures(cycles);
  document["figures"].update({{"dram_bytes_by_kind", {{"weights", cycles}}},
                              {"predicted_cycles", cycles},
                              {"clock_hz", 500'000'000},
                              {"simulated_ms", 1.0},
                              {"engines", Json::array()},
                              {"layers", Json::array()}});
  document["layers"] = Json::array();
  document["decisions"] = Json::array();
  Json buffers = Json::array(), tensors = Json::array();
  for (size_t i = 0; i < numLayers; ++i) {
    Json figure = {{"name", "network/layer " + std::to_string(i)}, {"operation", "CONV_2D"}, {"engine", "mac"}};
    figure.update(figures(layerCycles + i % 13));
    document["figures"]["layers"].push_back(figure);
    document["layers"].push_back(layer(i, i * layerCycles, (i + 1) * layerCycles, 2 * perLayer));
    document["decisions"].push_back(decision(i));
    buffers.push_back({{"name", "b"},
                       {"address", (i % 32) << 16},
                       {"bytes", 1 << 16},
                       {"first_step", i},
                       {"last_step", i},
                       {"start_cycle", i * layerCycles},
                       {"end_cycle", (i + 2) * layerCycles},
                       {"layer", i},
                       {"tensor", i}});
    tensors.push_back("tensor " + std::to_string(i));
  }
  document["transfers_without_layer"] = transfers(0);
  document["operations"] = {"end", "wait", "signal", "yield", "dma", "conv"};
  document["tracks"] = {track("mac", 5, perTrack, perLayer), track("dma", 4, perTrack, perLayer)};
  document["links"] = links(perTrack);
  document["is_straight"] = true;
  document["memory"] = {{"match", "exact"}, {"buffers", buffers}, {"tensors", tensors}};
  document["ir"] = Json::array();
  document["graphs"] = Json::array();
  document["source_map"] = {{"operators", Json::array()}, {"results", Json::array()}, {"tiles", Json::array()}};
  return document;
}

} // namespace avocet::tool::test
