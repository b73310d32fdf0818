//===- Calibration.cpp - Figures of the device relative to a processor ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"

#include "Workloads.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Utils.h"
#include "programs/SubcommandProgram.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <fmt/core.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

namespace avocet::tool {
namespace {

using namespace hal;

SharedMemory poolOf(uint64_t bytes) {
  avocet::Result<FileDescriptor> file = createMemoryFile("calibration", bytes);
  if (!file)
    return nullptr;
  return std::make_shared<Memory>(Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(*file)), bytes}});
}

Request requestFor(const Model &model) {
  Request request;
  uint64_t inputs = 0, outputs = 0;
  auto place = [&](uint32_t operand, uint32_t pool, uint64_t &end) {
    uint64_t bytes = getNonExtensionSize(model.main.operands[operand]).value_or(0);
    end += bytes;
    return RequestArgument{false, {pool, end - bytes, bytes, 0}, {}};
  };
  for (uint32_t operand : model.main.inputIndexes)
    request.inputs.push_back(place(operand, 0, inputs));
  for (uint32_t operand : model.main.outputIndexes)
    request.outputs.push_back(place(operand, 1, outputs));
  request.pools = {poolOf(inputs), poolOf(outputs)};
  return request;
}

/// Adds a network to the device's figures; false if the device does not support it.
bool measureDevice(IDevice &device, const Model &model, CalibrationFigure &figure, std::atomic<uint64_t> &picojoules) {
  hal::Result<std::shared_ptr<IPreparedModel>> prepared = device.prepareModel(model, {});
  if (!prepared)
    return false;
  picojoules = 0;
  ExecutionOutcome outcome = (*prepared)->execute(requestFor(model), {MeasureTiming::Yes, {}, {}, {}});
  if (!outcome.isOk() || !outcome.timing.timeOnDevice)
    return false;
  figure.deviceNanoseconds = static_cast<double>(outcome.timing.timeOnDevice->count());
  figure.deviceNanojoules = static_cast<double>(picojoules) * 1e-3;
  return true;
}

std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

/// The geometric mean of the workloads' ratios, so that no network decides because it is large.
nlohmann::ordered_json figureJson(std::span<const CalibrationFigure> workloads, double cpuWatts) {
  nlohmann::ordered_json entry = {{"figure", workloads.front().figure}};
  double time = 0, power = 0;
  for (const CalibrationFigure &each : workloads) {
    time += std::log(each.deviceNanoseconds / each.cpuNanoseconds);
    power += std::log(each.deviceNanojoules / (each.cpuNanoseconds * cpuWatts));
    entry["workloads"].push_back({{"name", each.workload},
                                  {"deviceNanoseconds", static_cast<int64_t>(each.deviceNanoseconds)},
                                  {"cpuNanoseconds", static_cast<int64_t>(each.cpuNanoseconds)},
                                  {"deviceNanojoules", static_cast<int64_t>(each.deviceNanojoules)}});
  }
  const auto count = static_cast<double>(workloads.size());
  entry["execTime"] = std::exp(time / count);
  entry["powerUsage"] = std::exp(power / count);
  return entry;
}

} // namespace

avocet::Result<Calibration> calibrate(const std::string &target, Progress &progress) {
  auto picojoules = std::make_shared<std::atomic<uint64_t>>(0);
  DriverOptions options;
  options.target = target;
  options.profileSink = [picojoules](const firmware::JobProfile &profile) {
    *picojoules += profile.record.counters.energyPicojoules;
  };
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const firmware::Target> description, firmware::Target::load(target));
  hal::Result<std::shared_ptr<IDevice>> device = openDevice(options);
  if (!device)
    return internalError(device.error().message);
  Calibration result{description->name(), description->fingerprint(), (*device)->versionString(), {}};
  for (const Workload &work : referenceWorkloads()) {
    progress.stage(fmt::format("measuring {}: {}", work.figure, work.name));
    CalibrationFigure figure{work.figure, work.name, 0, 0, 0};
    if (!measureDevice(**device, work.model, figure, *picojoules))
      continue;
    figure.cpuNanoseconds = work.loops.nanoseconds(work.type);
    result.figures.push_back(figure);
  }
  progress.clear();
  return result;
}

std::string toJson(const Calibration &calibration, double cpuWatts) {
  nlohmann::ordered_json json;
  json["target"] = calibration.target;
  json["fingerprint"] = fmt::format("{:016x}", calibration.fingerprint);
  json["driver"] = calibration.driver;
  json["date"] = today();
  json["reference"] = "plain loops on one thread of: " + processorName();
  json["referenceWatts"] = cpuWatts;
  for (auto begin = calibration.figures.begin(); begin != calibration.figures.end();) {
    const auto end = std::find_if(begin, calibration.figures.end(),
                                  [&](const CalibrationFigure &each) { return each.figure != begin->figure; });
    json["figures"].push_back(figureJson({begin, end}, cpuWatts));
    begin = end;
  }
  return json.dump(2) + "\n";
}

namespace {

struct CalibrateOptions {
  std::string target;
  std::string output = "-";
  double cpuWatts = 2.0;
};

constexpr double kLeastWatts = 1e-3, kMostWatts = 1e6;

constexpr const char *kExamples = R"(Examples:
  avocet calibrate -t m512                                        the figures of m512 on the standard output
  avocet calibrate -t m512 -o hal/driver/data/capabilities-m512.json
The driver is built with the files in hal/driver/data. Measure on an idle machine, with a release build.)";

Status runCalibration(const CalibrateOptions &options) {
  std::string target = options.target.empty() ? knobText(knobs::kTarget) : options.target;
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(Calibration calibration, calibrate(target, progress));
  return writeFile(options.output, toJson(calibration, options.cpuWatts));
}

} // namespace

void addCalibrateCommand(CommandLine &app, Action &action) {
  CommandLine command = addSubcommandOf(app, "calibrate");
  command.setFooter(kExamples);
  auto options = std::make_shared<CalibrateOptions>();
  command.addText("-t,--target", options->target, "target to measure (default: $AVOCET_TARGET)");
  command.addText("-o,--output", options->output, "file to write, - for the standard output");
  addNumber(command, "--cpu-watts", options->cpuWatts, "power of the processor core that energy is relative to",
            kLeastWatts, kMostWatts)
      .showDefault();
  command.onSelected([&action, options] { action = [options] { return runCalibration(*options); }; });
}

} // namespace avocet::tool
