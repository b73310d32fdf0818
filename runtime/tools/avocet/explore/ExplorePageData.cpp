//===- ExplorePageData.cpp - The figures for the page's script ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorePage.h"
#include "avocet/base/NumberText.h"
#include "output/Picture.h"
#include "output/TextTable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers for equal values, in the order of their first use.
class Numbering {
public:
  size_t numberOf(const Json &value) {
    const auto [place, isNew] =
        numbers_.try_emplace(value.dump(-1, ' ', false, Json::error_handler_t::replace), numbers_.size());
    if (isNew)
      values_.push_back(value);
    return place->second;
  }
  const Json &values() const { return values_; }

private:
  std::map<std::string, size_t> numbers_;
  Json values_ = Json::array();
};

Json scheduleOf(const LayerSchedule &layer) {
  return {layer.operation, layer.engine, layer.tiles, layer.largestTile, layer.sramBytes, layer.dramBytes};
}

/// The layers of more points would make the page too large for browsers.
constexpr size_t kMostPointsWithLayers = 3'000;

/// A layer has the same few schedules on all targets: each is written once, and a point refers to it.
Json layersJson(const Record &record, const std::map<std::string, std::string> &shortNames, Numbering &names,
                Numbering &schedules) {
  Json layers = Json::array();
  for (const LayerSchedule &layer : record.layers)
    for (const size_t number : {names.numberOf(shortNames.at(layer.name)), schedules.numberOf(scheduleOf(layer)),
                                static_cast<size_t>(layer.cycles)})
      layers.push_back(number);
  return layers;
}

Json networkJson(const Results &results, const NetworkResults &network) {
  const bool hasLayers = results.exploration.numPoints() <= kMostPointsWithLayers;
  const std::map<std::string, std::string> shortNames = shortLayerNames(network);
  Numbering names, schedules;
  Json points = Json::array();
  for (const ResultRow &row : network.rows) {
    if (!row.reason.empty())
      continue;
    const Record &record = *row.record;
    points.push_back({{"target", row.target},
                      {"cycles", record.cycles},
                      {"energy", record.energyPicojoules},
                      {"dram", record.dramBytes},
                      {"peak", record.sramPeakBytes},
                      {"bound", record.bound},
                      {"front", row.isOnFront},
                      {"layers", hasLayers ? layersJson(record, shortNames, names, schedules) : Json::array()}});
  }
  return {{"name", results.exploration.networks[network.network].name},
          {"names", names.values()},
          {"schedules", schedules.values()},
          {"points", std::move(points)}};
}

/// All networks together, as one more network without layers.
Json summaryJson(const std::vector<TargetSummary> &summary) {
  Json points = Json::array();
  for (const TargetSummary &target : summary)
    if (target.cycles > 0)
      points.push_back({{"target", target.target},
                        {"cycles", std::llround(target.cycles)},
                        {"energy", target.energyPicojoules},
                        {"dram", std::llround(target.dramBytes)},
                        {"peak", target.sramPeakBytes},
                        {"bound", ""},
                        {"front", target.isOnFront},
                        {"layers", Json::array()}});
  return {{"name", "all networks, geometric means"},
          {"names", Json::array()},
          {"schedules", Json::array()},
          {"points", std::move(points)}};
}

} // namespace

std::string explorePageData(const Results &results) {
  const DesignSpace &space = results.exploration.space;
  Json root = {{"axes", Json::array()}, {"targets", Json::array()}, {"networks", Json::array()}};
  for (const Axis &axis : space.axes) {
    Json shown = Json::array();
    for (const std::string &value : axis.values)
      shown.push_back(shownValue(axis, value));
    root["axes"].push_back({{"key", axis.key}, {"values", std::move(shown)}});
  }
  for (const DesignTarget &target : space.targets) {
    Json entry = {{"places", target.places}};
    if (target.target != nullptr) {
      entry["sram"] = target.target->sram().bytes;
      entry["bandwidth"] = bandwidthOf(*target.target);
      entry["nanoseconds"] = target.target->nanoseconds(1);
    }
    root["targets"].push_back(std::move(entry));
  }
  if (!results.summary.empty())
    root["networks"].push_back(summaryJson(results.summary));
  for (const NetworkResults &network : results.networks)
    root["networks"].push_back(networkJson(results, network));
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

constexpr double kWidth = 640, kHeight = 320;
constexpr double kLeft = 90, kRight = 20, kTop = 12, kBottom = 44;

struct Point {
  const ResultRow *row;
  double x, y, bandwidth;
};

std::vector<Point> pointsOf(const Results &results, const NetworkResults &network, bool &isSram) {
  std::vector<Point> points;
  std::set<uint64_t> sizes;
  for (const ResultRow &row : network.rows) {
    if (!row.reason.empty())
      continue;
    const firmware::Target &target = results.target(row.target);
    sizes.insert(target.sram().bytes);
    points.push_back(
        {&row, static_cast<double>(target.sram().bytes), static_cast<double>(row.record->cycles), bandwidthOf(target)});
  }
  isSram = sizes.size() > 1;
  if (!isSram)
    for (Point &point : points)
      point.x = point.bandwidth;
  return points;
}

/// At most about eight values of the axis, at their places.
std::string xAxis(const std::vector<Point> &points, const LogScale &scale, bool isSram) {
  std::set<double> values;
  for (const Point &point : points)
    values.insert(point.x);
  const size_t every = values.size() / 8 + 1;
  std::string text;
  size_t index = 0;
  for (double value : values) {
    if (index++ % every != 0)
      continue;
    const double x = scale.at(value);
    const std::string label = isSram ? formatBytes(static_cast<uint64_t>(value)) : fmt::format("{:.3g}", value);
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
                        "<text class=\"middle\" x=\"{0:.1f}\" y=\"{3}\">{4}</text>\n",
                        x, kTop, kHeight - kBottom, kHeight - kBottom + 16, label);
  }
  return text + fmt::format("<text class=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", (kLeft + kWidth - kRight) / 2,
                            kHeight - 6, isSram ? "SRAM" : "off-chip bytes in a cycle");
}

std::string yAxis(const LogScale &scale) {
  std::string text;
  for (double tick : logTicks(scale.least, scale.most))
    text += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
                        "<text class=\"end\" x=\"{3}\" y=\"{4:.1f}\">{5}</text>\n",
                        kLeft, kWidth - kRight, scale.at(tick), kLeft - 6, scale.at(tick) + 4,
                        withCommas(static_cast<uint64_t>(tick)));
  return text;
}

/// The color tells the bandwidth: a place between the least and the largest, in percent.
std::string circles(const Results &results, const std::vector<Point> &points, const LogScale &x, const LogScale &y) {
  const auto [least, most] = std::ranges::minmax(points, {}, &Point::bandwidth);
  const LogScale color{least.bandwidth, most.bandwidth, 0, 100};
  std::string text;
  for (const Point &point : points) {
    const DesignSpace &space = results.exploration.space;
    text += fmt::format("<circle class=\"{}\" style=\"--part:{:.0f}%\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\">"
                        "<title>{}: {} cycles</title></circle>\n",
                        point.row->isOnFront ? "front" : "", color.at(point.bandwidth), x.at(point.x), y.at(point.y),
                        htmlText(shownValues(space, space.targets[point.row->target])),
                        withCommas(point.row->record->cycles));
  }
  return text;
}

} // namespace

std::string exploreScatter(const Results &results, const NetworkResults &network) {
  bool isSram = false;
  const std::vector<Point> points = pointsOf(results, network, isSram);
  if (points.empty())
    return "";
  const auto [leftmost, rightmost] = std::ranges::minmax(points, {}, &Point::x);
  const auto [lowest, highest] = std::ranges::minmax(points, {}, &Point::y);
  const LogScale x{leftmost.x, rightmost.x, kLeft + 12, kWidth - kRight - 12};
  const LogScale y{std::max(1.0, lowest.y), std::max(1.0, highest.y), kHeight - kBottom - 8, kTop + 8};
  return fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Cycles by {}\">\n{}{}{}</svg>\n"
                     "<figcaption>Cycles, logarithmic. Filled: on the front. Color: off-chip bandwidth, the more the "
                     "redder.</figcaption></figure>\n",
                     kWidth, kHeight, isSram ? "SRAM" : "bandwidth", xAxis(points, x, isSram), yAxis(y),
                     circles(results, points, x, y));
}

} // namespace avocet::tool
