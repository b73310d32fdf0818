//===- BenchmarkJson.cpp - A benchmark as JSON ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchmarkReport.h"

#include "avocet/base/CleanText.h"
#include "avocet/documents/SchemaVersions.h"

#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Keys with no value are left out.
template <typename T> void addIfKnown(Json &json, const char *key, const std::optional<T> &value) {
  if (value)
    json[key] = *value;
}

Json distributionJson(const std::vector<double> &values) {
  const Distribution each = distributionOf(values);
  return {{"count", each.count}, {"least", each.least}, {"mean", each.mean}, {"p50", each.p50},
          {"p90", each.p90},     {"p99", each.p99},     {"most", each.most}};
}

void addTimes(Json &json, const char *key, const std::vector<double> &values) {
  if (!values.empty())
    json[key] = distributionJson(values);
}

Json errorJson(const NetworkResult &network, const OutputError &error, size_t output, const char *against) {
  Json json = {{"output", output},
               {"name", network.outputNames[output]},
               {"against", against},
               {"cases", error.cases()},
               {"equal_cases", error.equalCases()},
               {"same_largest", error.sameLargest()},
               {"values", error.values()},
               {"outside_tolerance", error.outside()},
               {"not_finite", error.notFinite()},
               {"max_error", error.maxError()},
               {"bias", error.bias()},
               {"mean_square_error", error.meanSquare()},
               {"cosine", error.cosine()}};
  addIfKnown(json, "psnr_db", error.psnr());
  return json;
}

Json accuracyJson(const NetworkResult &network, const DeviceResult &device) {
  Json json = Json::array();
  for (size_t i = 0; i < device.golden.outputs.size(); ++i)
    json.push_back(errorJson(network, device.golden.outputs[i], i, "golden"));
  for (size_t i = 0; i < device.reference.outputs.size(); ++i)
    json.push_back(errorJson(network, device.reference.outputs[i], i, "cpu"));
  return json;
}

Json labelsJson(const NetworkResult &network, const LabelScore &labels) {
  const ConfusionMatrix &matrix = labels.matrix();
  Json classes = Json::array();
  for (size_t label = 0; label < matrix.numClasses(); ++label) {
    Json answers = Json::object(); // most pairs of a thousand classes never come
    for (size_t answer = 0; answer < matrix.numClasses(); ++answer)
      if (matrix.count(label, answer) > 0)
        answers[std::to_string(answer)] = matrix.count(label, answer);
    if (!answers.empty())
      classes.push_back({{"class", label}, {"name", network.classNames[label]}, {"answers", std::move(answers)}});
  }
  return {{"count", labels.count()}, {"top1", labels.top1()}, {"top5", labels.top5()}, {"classes", std::move(classes)}};
}

Json simulatedJson(const SimulatedFigures &figures) {
  return {{"cycles", figures.cycles},
          {"roofline_cycles", figures.rooflineCycles},
          {"device_cycles", figures.deviceCycles},
          {"energy_pj", figures.energyPicojoules},
          {"sram_peak_bytes", figures.sramPeakBytes},
          {"off_chip_bytes", figures.offChipBytes},
          {"constant_bytes", figures.constantBytes},
          {"scratch_bytes", figures.scratchBytes}};
}

Json deviceJson(const NetworkResult &network, const DeviceResult &device) {
  Json json = {{"device", device.name},
               {"way", device.way},
               {"call", std::string(toString(device.call))},
               {"driver", device.version}};
  addTimes(json, "compile_ms", device.prepareMs);
  addTimes(json, "from_cache_ms", device.warmStartMs);
  addTimes(json, "host_ms", device.hostMs);
  addTimes(json, "device_ms", device.deviceMs);
  addTimes(json, "host_over_cpu", device.hostRatio);
  addIfKnown(json, "speed_up", device.speedUp);
  if (device.simulated)
    json["simulated"] = simulatedJson(*device.simulated);
  json["accuracy"] = accuracyJson(network, device);
  if (device.labels)
    json["labels"] = labelsJson(network, *device.labels);
  return json;
}

Json networkJson(const NetworkResult &network) {
  Json devices = Json::array();
  for (const DeviceResult &device : network.devices)
    devices.push_back(deviceJson(network, device));
  return {{"network", network.name},
          {"path", network.path},
          {"data", network.source},
          {"cases", network.cases},
          {"devices", std::move(devices)}};
}

} // namespace

std::string benchmarkJson(const BenchmarkReport &report) {
  Json json;
  json[documents::kSchemaVersionKey] = documents::kBenchmarkSchema;
  json["networks"] = Json::array();
  for (const NetworkResult &network : report.networks)
    json["networks"].push_back(networkJson(network));
  json["means"] = Json::array();
  for (const DeviceMean &mean : deviceMeans(report.networks)) {
    Json entry = {{"device", mean.name}, {"networks", mean.networks}, {"host_over_cpu", mean.hostRatio}};
    addIfKnown(entry, "speed_up", mean.speedUp);
    json["means"].push_back(std::move(entry));
  }
  json["problems"] = report.problems;
  json["broken_requirements"] = report.broken;
  // Names and messages may quote bytes of a file, which need not be UTF-8.
  return cleanJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

} // namespace avocet::tool
