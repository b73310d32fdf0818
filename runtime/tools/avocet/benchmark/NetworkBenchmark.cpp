//===- NetworkBenchmark.cpp - One network on all devices --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkBenchmark.h"

#include "PreparedNetwork.h"
#include "avocet/analysis/Report.h"
#include "avocet/analysis/TfliteModel.h"
#include "avocet/session/HalRequest.h"
#include "avocet/session/Inputs.h"
#include "model/ModelSource.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace avocet::tool {

static double percentile(const std::vector<double> &sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

Distribution distributionOf(std::vector<double> values) {
  if (values.empty())
    return {};
  std::ranges::sort(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.size(),
          values.front(),
          sum / static_cast<double>(values.size()),
          percentile(values, 0.5),
          percentile(values, 0.9),
          percentile(values, 0.99),
          values.back()};
}

double geometricMean(const std::vector<double> &values) {
  if (values.empty())
    return 0;
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

namespace {

using Clock = std::chrono::steady_clock;

Result<SimulatedFigures> simulate(const LoadedModel &model) {
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runTimed(model, session::Profiling::On));
  const analysis::Figures total = analysis::makeReport(model, run.device, run.record).total;
  const cache::ModelCache &cache = *model.artefacts.model;
  return SimulatedFigures{total.cycles,        total.rooflineCycles, total.deviceCycles, total.energyPicojoules,
                          total.sramPeakBytes, total.dramBytes,      cache.dataBytes(),  cache.scratchBytes()};
}

class NetworkBenchmark {
public:
  NetworkBenchmark(const std::string &name, const cache::ModelCache &model, const std::vector<BenchmarkDevice> &devices,
                   const CaseSet &cases)
      : name_(name), model_(model), devices_(devices), cases_(cases) {}

  Status prepare(const hal::Model &network, Progress &progress);
  Status measure(const BenchmarkOptions &options, Progress &progress);
  std::vector<DeviceResult> finish() &&;

private:
  Status runRound(size_t round);
  Result<RunTimes> runOn(size_t device, const BenchmarkCase &each);
  void compare(size_t device, const BenchmarkCase &each);
  void compareTo(Agreement &agreement, size_t device, auto expected);

  const std::string &name_;
  const cache::ModelCache &model_;
  const std::vector<BenchmarkDevice> &devices_;
  const CaseSet &cases_;
  std::vector<PreparedNetwork> prepared_;
  std::vector<DeviceResult> results_;
};

Status NetworkBenchmark::prepare(const hal::Model &network, Progress &progress) {
  for (const BenchmarkDevice &device : devices_) {
    progress.stage(fmt::format("{}: preparing for {}", name_, device.name));
    auto prepared = PreparedNetwork::prepare(*device.device, network, model_, device.preparations, device.call);
    if (!prepared)
      return Status(prepared.status()).withContext(device.name);
    DeviceResult result;
    result.name = device.name;
    result.way = device.way;
    result.call = device.call;
    result.version = device.device->versionString();
    result.prepareMs = prepared->prepareMs();
    result.warmStartMs = prepared->warmStartMs();
    if (!cases_.classNames.empty())
      result.labels.emplace(cases_.classNames.size());
    prepared_.push_back(std::move(*prepared));
    results_.push_back(std::move(result));
  }
  return Status::ok();
}

Result<RunTimes> NetworkBenchmark::runOn(size_t device, const BenchmarkCase &each) {
  auto times = prepared_[device].run(each.inputs);
  if (!times)
    return Status(times.status()).withContext(fmt::format("{}, case {}", devices_[device].name, each.id));
  return times;
}

Status NetworkBenchmark::runRound(size_t round) {
  const BenchmarkCase &each = cases_.cases[round % cases_.cases.size()];
  for (size_t i = 0; i < devices_.size(); ++i) {
    const size_t device = (round + i) % devices_.size();
    AVOCET_ASSIGN_OR_RETURN(const RunTimes times, runOn(device, each));
    results_[device].hostMs.push_back(times.host);
    if (times.device)
      results_[device].deviceMs.push_back(*times.device);
  }
  for (DeviceResult &result : results_)
    result.hostRatio.push_back(result.hostMs.back() / results_.front().hostMs.back());
  return Status::ok();
}

/// `expected(i)`: bytes of output i.
void NetworkBenchmark::compareTo(Agreement &agreement, size_t device, auto expected) {
  agreement.outputs.resize(session::numOwnOutputs(model_));
  ++agreement.cases;
  for (size_t i = 0; i < agreement.outputs.size(); ++i)
    agreement.outputs[i].add(model_.output(i), prepared_[device].output(i), expected(i));
}

void NetworkBenchmark::compare(size_t device, const BenchmarkCase &each) {
  DeviceResult &result = results_[device];
  if (!each.goldens.empty())
    compareTo(result.golden, device, [&](size_t i) { return std::span<const uint8_t>(each.goldens[i]); });
  if (device != 0)
    compareTo(result.reference, device, [&](size_t i) { return prepared_.front().output(i); });
  if (each.label)
    result.labels->add(model_.output(0), prepared_[device].output(0), *each.label);
}

Status NetworkBenchmark::measure(const BenchmarkOptions &options, Progress &progress) {
  for (size_t device = 0; device < devices_.size(); ++device) // the first run pays for new pages
    AVOCET_RETURN_IF_ERROR(runOn(device, cases_.cases.front()).status());
  const size_t numCases = cases_.cases.size();
  const auto start = Clock::now();
  auto isEnough = [&](size_t round) {
    if (options.seconds > 0)
      return std::chrono::duration<double>(Clock::now() - start).count() >= options.seconds;
    return round >= options.runs;
  };
  for (size_t round = 0; round < numCases || !isEnough(round); ++round) {
    progress.count(name_ + ": running", round, std::max<size_t>(numCases, options.seconds > 0 ? 0 : options.runs));
    AVOCET_RETURN_IF_ERROR(runRound(round));
    for (size_t device = 0; round < numCases && device < devices_.size(); ++device)
      compare(device, cases_.cases[round]);
  }
  return Status::ok();
}

std::vector<DeviceResult> NetworkBenchmark::finish() && {
  const double reference = distributionOf(results_.front().hostMs).p50;
  for (DeviceResult &result : results_)
    if (!result.deviceMs.empty())
      result.speedUp = reference / distributionOf(result.deviceMs).p50;
  return std::move(results_);
}

/// Of each device with a target.
Status addSimulated(const std::string &path, const std::vector<BenchmarkDevice> &devices,
                    std::vector<DeviceResult> &results, Progress &progress) {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].target.empty())
      continue;
    AVOCET_ASSIGN_OR_RETURN(const LoadedModel model,
                            loadModel({path, devices[i].target, {}}, DiagnosticsFormat::Text, progress));
    AVOCET_ASSIGN_OR_RETURN(results[i].simulated, simulate(model));
  }
  return Status::ok();
}

/// A target for which the network is compiled only to describe its inputs and outputs.
std::string describingTarget(const std::vector<BenchmarkDevice> &devices) {
  for (const BenchmarkDevice &device : devices)
    if (!device.target.empty())
      return device.target;
  return "p4096"; // the target of the CPU device
}

} // namespace

Result<NetworkResult> benchmarkNetwork(const std::string &name, const std::string &path, std::span<const uint8_t> file,
                                       const std::vector<BenchmarkDevice> &devices, const BenchmarkOptions &options,
                                       Progress &progress) {
  if (!analysis::isTflite(file))
    return invalidArgument("is no .tflite file; the HAL's devices take only these");
  AVOCET_ASSIGN_OR_RETURN(const LoadedModel loaded,
                          loadModel({path, describingTarget(devices), {}}, DiagnosticsFormat::Text, progress));
  const cache::ModelCache &model = *loaded.artefacts.model;
  AVOCET_ASSIGN_OR_RETURN(const CaseSet cases, loadCases(options.cases, name, path, model));
  NetworkBenchmark benchmark(name, model, devices, cases);
  AVOCET_RETURN_IF_ERROR(benchmark.prepare(session::carriedModel({hal::CarriedFormat::Tflite, file}, model), progress));
  AVOCET_RETURN_IF_ERROR(benchmark.measure(options, progress));
  NetworkResult result{
      name, path, cases.source, cases.cases.size(), {}, cases.classNames, std::move(benchmark).finish()};
  for (size_t i = 0; i < session::numOwnOutputs(model); ++i)
    result.outputNames.emplace_back(model.output(i).name);
  AVOCET_RETURN_IF_ERROR(addSimulated(path, devices, result.devices, progress));
  progress.clear();
  return result;
}

} // namespace avocet::tool
