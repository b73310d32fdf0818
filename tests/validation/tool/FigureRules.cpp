//===- FigureRules.cpp - Rules that the figures of a run keep -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FigureRules.h"

#include "avocet/analysis/TraceCounters.h"
#include "avocet/documents/RunJson.h"
#include "layers/ReportCsv.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

namespace avocet::tool {
namespace {

using analysis::Figures;
using firmware::EngineKind;
using firmware::StallCause;
using Json = nlohmann::ordered_json;

/// Figures of JSON and CSV whose rows add up. Those with parts do for each part.
constexpr const char *kAdditive[] = {"cycles",
                                     "compute_cycles",
                                     "least_dram_bytes",
                                     "macs",
                                     "executed_macs",
                                     "busy_cycles/mac",
                                     "busy_cycles/dsp",
                                     "stall_cycles/semaphore",
                                     "stall_cycles/sram_port",
                                     "stall_cycles/dram_port",
                                     "stall_cycles/latency",
                                     "stall_cycles/front_end",
                                     "hidden_cycles/dsp",
                                     "hidden_cycles/results",
                                     "hidden_cycles/transfers",
                                     "sram_bytes",
                                     "dram_bytes",
                                     "energy_picojoules"};

/// Integers are equal, sums of floating-point numbers nearly.
bool areEqual(double sum, double total) { return std::abs(sum - total) <= 1e-9 * std::max(1.0, std::abs(total)); }

Status checkSum(const std::string &form, const std::string &figure, double sum, double total) {
  return areEqual(sum, total)
             ? Status::ok()
             : internalError(fmt::format("{}: the rows of {} add up to {}, the total is {}", form, figure, sum, total));
}

double valueOf(const Json &row, const std::string &figure) {
  return row.at(Json::json_pointer("/" + figure)).get<double>();
}

Status checkJsonSums(const Json &json) {
  for (const char *figure : kAdditive) {
    double sum = valueOf(json["without_layer"], figure);
    for (const Json &layer : json["layers"])
      sum += valueOf(layer, figure);
    AVOCET_RETURN_IF_ERROR(checkSum("JSON", figure, sum, valueOf(json, figure)));
  }
  return Status::ok();
}

/// The cells of a line. Names may hold commas within quotes.
std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells(1);
  bool isQuoted = false;
  for (const char letter : line) {
    if (letter == '"')
      isQuoted = !isQuoted;
    else if (letter == ',' && !isQuoted)
      cells.emplace_back();
    else if (letter != '\r')
      cells.back() += letter;
  }
  return cells;
}

Status checkCsvSums(const std::string &csv, const Json &json) {
  std::istringstream lines(csv);
  std::string line;
  if (!std::getline(lines, line))
    return json["layers"].empty() ? Status::ok() : internalError("the CSV has no lines");
  const std::vector<std::string> titles = cellsOf(line);
  std::vector<double> sums(titles.size());
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cellsOf(line);
    for (size_t i = 0; i < std::min(cells.size(), sums.size()); ++i)
      sums[i] += std::strtod(cells[i].c_str(), nullptr);
  }
  for (std::string figure : kAdditive) {
    const double total = valueOf(json, figure);
    std::ranges::replace(figure, '/', '_');
    const auto title = std::ranges::find(titles, figure);
    if (title == titles.end())
      return internalError("the CSV has no column " + figure);
    AVOCET_RETURN_IF_ERROR(checkSum("CSV", figure, sums[static_cast<size_t>(title - titles.begin())], total));
  }
  return Status::ok();
}

uint64_t sumOf(const firmware::StallCycles &stalls) {
  return std::accumulate(stalls.begin(), stalls.end(), uint64_t{0});
}

/// By the definition of Bound: the longest component.
Status checkLimit(const std::string &row, analysis::Bound bound, uint64_t array, uint64_t dsp, uint64_t port,
                  const firmware::StallCycles &stalls) {
  using analysis::Bound;
  const auto stall = [&](StallCause cause) { return stalls[static_cast<size_t>(cause)]; };
  const std::pair<Bound, uint64_t> parts[] = {{Bound::Array, array},
                                              {Bound::Dsp, dsp},
                                              {Bound::Data, stall(StallCause::Semaphore)},
                                              {Bound::Sram, stall(StallCause::SramPort)},
                                              {Bound::Dram, std::max(port, stall(StallCause::DramPort))},
                                              {Bound::Latency, stall(StallCause::Latency)},
                                              {Bound::Issue, stall(StallCause::FrontEnd)}};
  uint64_t most = 0, named = 0;
  for (const auto &[each, cycles] : parts) {
    most = std::max(most, cycles);
    named = each == bound ? cycles : named;
  }
  return named == most ? Status::ok()
                       : internalError(fmt::format("{} is limited by {} of {} cycles, another component has {}", row,
                                                   toString(bound), named, most));
}

Status checkRow(const std::string &row, const Figures &figures) {
  const uint64_t parts = figures.arrayBusyCycles + figures.dspBusyCycles + sumOf(figures.stallCycles);
  if (parts != figures.cycles)
    return internalError(fmt::format("{} has {} cycles, its parts have {}", row, figures.cycles, parts));
  if (figures.utilization < 0 || figures.utilization > 1)
    return internalError(fmt::format("{} has a utilization of {}", row, figures.utilization));
  return Status::ok();
}

/// A layer below its bound has hidden work that fills it, another layer loads its constants, or it has no commands.
bool isBoundExplained(const analysis::LayerReport &layer) {
  const Figures &figures = layer.figures;
  if (layer.commands == 0 || layer.omittedCycles() == 0)
    return true;
  if (layer.engine == EngineKind::Dsp) // the bound of a pool is that of the array, also where the DSP is faster
    return figures.dspBusyCycles != 0 || figures.hidden.dsp != 0;
  const uint64_t computed = figures.cycles + figures.hidden.dsp + figures.hidden.results;
  return computed >= figures.computeCycles && figures.dramBytes < figures.leastDramBytes;
}

Status checkLayer(const std::string &row, const analysis::LayerReport &layer) {
  const Figures &figures = layer.figures;
  AVOCET_RETURN_IF_ERROR(checkRow(row, figures));
  if (!isBoundExplained(layer))
    return internalError(fmt::format("{} takes {} cycles and hides {}, its bound is {}", row, figures.cycles,
                                     figures.hidden.total(), figures.rooflineCycles));
  return checkLimit(row, figures.boundBy, figures.arrayBusyCycles, figures.dspBusyCycles + figures.hidden.dsp, 0,
                    figures.stallCycles);
}

Status checkNetworkLimit(const documents::Measured &base) {
  const firmware::JobCounters &counters = base.profile.record.counters;
  const auto busy = [&](EngineKind kind) { return counters.busyCycles[static_cast<size_t>(kind)]; };
  const uint64_t port = base.model.target->dram().bandwidth.cyclesFor(counters.dramReadBytes + counters.dramWriteBytes);
  return checkLimit("the network", base.report.total.boundBy, busy(EngineKind::Mac), busy(EngineKind::Dsp), port,
                    base.report.total.stallCycles);
}

/// The cycles of commands on an engine by their spans, against those that the device counted without waits.
Status checkEngine(const std::string &row, EngineKind kind, uint64_t cycles, const firmware::LayerCounters &counters) {
  firmware::StallCycles stalls = counters.stallCycles[static_cast<size_t>(kind)];
  stalls[static_cast<size_t>(StallCause::Semaphore)] = 0;
  const uint64_t counted = counters.busyCycles[static_cast<size_t>(kind)] + sumOf(stalls);
  return counted == cycles ? Status::ok()
                           : internalError(fmt::format("{}: engine {} has commands in {} cycles, {} are counted", row,
                                                       static_cast<int>(kind), cycles, counted));
}

Status checkEngines(const documents::Measured &base) {
  const size_t numLayers = base.report.layers.size();
  const runtime::TimeDivision division = runtime::divideTime(base.profile, numLayers);
  for (const firmware::LayerCounters &counters : base.profile.layers) {
    const runtime::LayerTime &time = division.layers[std::min<size_t>(counters.layer, numLayers)];
    const std::string row = fmt::format("layer {}", counters.layer);
    AVOCET_RETURN_IF_ERROR(checkEngine(row, EngineKind::Mac, time.array, counters));
    AVOCET_RETURN_IF_ERROR(checkEngine(row, EngineKind::Dsp, time.dsp + time.hidden.dsp, counters));
  }
  const runtime::Overlap &overlap = division.overlap;
  const uint64_t all = overlap.both + overlap.onlyComputing + overlap.onlyMoving + overlap.neither;
  return all == base.report.total.cycles
             ? Status::ok()
             : internalError(fmt::format("the overlap has {} cycles, the run {}", all, base.report.total.cycles));
}

Status checkMemory(const documents::Measured &base) {
  const analysis::TracedJob job(base.profile, *base.model.artefacts.model, *base.model.target);
  for (const analysis::CounterSample &sample : analysis::sramCounter(job).samples)
    if (sample.value > static_cast<double>(base.model.target->sram().bytes))
      return internalError(fmt::format("{} bytes of SRAM in use at cycle {}, there are {}", sample.value, sample.cycle,
                                       base.model.target->sram().bytes));
  return Status::ok();
}

Status checkLosses(const documents::Explanation &explanation) {
  const analysis::Losses &losses = explanation.losses;
  const std::vector<analysis::LayerReport> &layers = explanation.base.report.layers;
  for (size_t i = 0; i < layers.size(); ++i)
    if (losses.layers[i].total() > layers[i].figures.cycles)
      return internalError(
          fmt::format("layer {} loses {} of {} cycles", i, losses.layers[i].total(), layers[i].figures.cycles));
  uint64_t listed = losses.layers.back().total();
  for (size_t layer : documents::worstLayers(explanation))
    listed += losses.layers[layer].total();
  if (listed * 10 < losses.gap * 9)
    return internalError(
        fmt::format("the losses of {} cycles that are listed do not explain {} above the bound", listed, losses.gap));
  return Status::ok();
}

} // namespace

Status checkFigures(const documents::Explanation &explanation) {
  const documents::Measured &base = explanation.base;
  const Json json = Json::parse(documents::runJson(base.report));
  AVOCET_RETURN_IF_ERROR(checkJsonSums(json));
  AVOCET_RETURN_IF_ERROR(checkCsvSums(renderCsv(base.report), json));
  for (size_t i = 0; i < base.report.layers.size(); ++i)
    AVOCET_RETURN_IF_ERROR(
        checkLayer(fmt::format("layer {} ({})", i, base.report.layers[i].operation), base.report.layers[i]));
  AVOCET_RETURN_IF_ERROR(checkRow("the row without a layer", base.report.withoutLayer));
  AVOCET_RETURN_IF_ERROR(checkRow("the network", base.report.total));
  AVOCET_RETURN_IF_ERROR(checkNetworkLimit(base));
  AVOCET_RETURN_IF_ERROR(checkEngines(base));
  AVOCET_RETURN_IF_ERROR(checkMemory(base));
  return checkLosses(explanation);
}

} // namespace avocet::tool
