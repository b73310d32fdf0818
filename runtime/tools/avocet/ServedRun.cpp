//===- ServedRun.cpp - avocet run --device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedRun.h"

#include "RunSteps.h"
#include "ServedPower.h"
#include "avocet/base/File.h"
#include "reduce/TfliteModel.h"

#include <cmath>
#include <filesystem>

namespace avocet::tool {
namespace {

/// Reads a .tflite file. A service compiles what it runs, and only this form can be sent through the HAL.
Result<std::vector<uint8_t>> readNetwork(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return invalidArgument(fmt::format(
        "{}: is a directory of artefacts, but a driver service accepts only .tflite files; give the .tflite "
        "file that they were compiled from, or run them without --device: avocet run {}",
        path, path));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> file, readFile(path));
  if (!isTflite(file))
    return invalidArgument(fmt::format(
        "{}: is no .tflite file, but a driver service accepts only .tflite files; give the .tflite file that "
        "it was made from, or run it without --device: avocet run {}",
        path, path));
  return file;
}

ServedFigures figuresOf(const ServedSession &session, const ServedOptions &options) {
  ServedFigures figures;
  figures.device = options.device;
  figures.version = session.version();
  figures.socket = options.socket;
  figures.way = session.way();
  figures.priority = std::string(priorityName(options.priority));
  figures.preference = std::string(preferenceName(options.preference));
  figures.deadlineMs = options.deadlineMs;
  figures.prepareMs = session.prepareMs();
  return figures;
}

Status numbered(const Status &status, uint32_t run, uint32_t runs) {
  if (status.isOk() || runs == 1)
    return status;
  return Status(status.code(), fmt::format("run {} of {}: {}", run + 1, runs, status.message()));
}

Status runAll(ServedSession &session, const RunOptions &options, Progress &progress, ServedFigures &figures) {
  std::vector<double> device, driver, call;
  auto runOnce = [&](uint32_t number) -> Status {
    Result<ServedTimes> times = session.run();
    if (!times)
      return numbered(times.status(), number, options.repeat);
    device.push_back(times->deviceMs);
    driver.push_back(times->driverMs);
    call.push_back(times->callMs);
    return Status::ok();
  };
  AVOCET_RETURN_IF_ERROR(repeatRuns(session, options, progress, runOnce));
  figures.deviceMs = spreadOf(std::move(device));
  figures.driverMs = spreadOf(std::move(driver));
  figures.callMs = spreadOf(std::move(call));
  return Status::ok();
}

/// The record of the run with the shortest device time, which was at a clock of `clockHz`.
RunRecord recordOf(const ServedFigures &figures, uint64_t clockHz) {
  RunRecord record;
  record.hostMs = figures.callMs.least;
  record.outcome.counters.cycles =
      static_cast<uint64_t>(std::llround(figures.deviceMs.least * static_cast<double>(clockHz) / 1e3));
  return record;
}

Report reportOf(const LoadedModel &model, const ServedSession &session, ServedFigures figures,
                std::optional<PowerFigures> power) {
  const uint64_t clockHz = power ? power->clockHz : model.target->clockHz();
  Report report = makeReport(model, session.properties(model), recordOf(figures, clockHz));
  report.clockHz = clockHz;
  report.simulatedMs = figures.deviceMs.least;
  report.power = std::move(power);
  report.served = std::move(figures);
  report.notes = {"a service reports no cycles of layers and engines; run without --device to get them"};
  if (session.tellsMicroseconds())
    report.notes.push_back(
        "message queues carry times in whole microseconds, which limits the precision of the cycles");
  return report;
}

} // namespace

Status runServed(const RunOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkOptions(options.served));
  if (!options.signature.empty())
    return invalidArgument("a service compiles the first subgraph of a model only; leave out --signature or --device");
  if (!options.shapes.empty())
    return invalidArgument("a service compiles a model with the shapes of its file; leave out --shape or --device");
  if (!options.optimise.empty())
    return invalidArgument("a service chooses the schedule itself; leave out --optimise or --device");
  Progress progress;
  std::string target = options.target;
  if (target.empty()) {
    AVOCET_ASSIGN_OR_RETURN(target, targetOfDevice(options.served.device));
  }
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> file, readNetwork(options.model));
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel({options.model, target, {}}, options.diagnostics, progress));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ServedSession> session, ServedSession::open(model, file, options.served));
  if (numRuns(*session, options) > 1 || !options.states.empty())
    return unsupported(options.model + ": a service keeps no states between runs; run the model without --device");
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, options));
  ServedFigures figures = figuresOf(*session, options.served);
  const ServedPower before = ServedPower::read(options.served);
  AVOCET_RETURN_IF_ERROR(runAll(*session, options, progress, figures));
  std::optional<PowerFigures> power = ServedPower::read(options.served).since(before, options.repeat, *model.target);
  AVOCET_RETURN_IF_ERROR(writeResults(*session, options));
  Report report = reportOf(model, *session, std::move(figures), std::move(power));
  report.runs = options.repeat;
  printReport(report, options.report);
  return Status::ok();
}

} // namespace avocet::tool
