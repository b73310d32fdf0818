//===- ServedRun.cpp - avocet run --device ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/ServedFigures.h"
#include "avocet/analysis/TfliteModel.h"
#include "avocet/base/File.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/DevicePower.h"
#include "avocet/session/ServedSession.h"
#include "run/RunPlace.h"
#include "run/Runs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace avocet::tool {
namespace {

/// The sums of a device at one moment, if this process may read the service's totals.
class ServedPower {
public:
  static ServedPower read(const session::ServedOptions &options);

  /// The average of `runs` runs since `before`. Nothing: not readable, the device has no clock levels, other clients
  /// ran too, or the runs had different levels.
  std::optional<analysis::PowerFigures> since(const ServedPower &before, uint32_t runs,
                                              const firmware::Target &target) const;

private:
  std::optional<hal::DevicePower> power_;
};

/// The only level that executions had in between.
std::optional<uint32_t> levelBetween(const hal::DevicePower &before, const hal::DevicePower &after) {
  std::optional<uint32_t> level;
  for (uint32_t i = 0; i < after.clockLevels.size() && i < before.clockLevels.size(); ++i) {
    if (after.clockLevels[i].nanoseconds == before.clockLevels[i].nanoseconds)
      continue;
    if (level)
      return std::nullopt;
    level = i;
  }
  return level;
}

ServedPower ServedPower::read(const session::ServedOptions &options) {
  ServedPower read;
  const hal::Result<hal::FoundDevice> found = hal::findDevice(options.socket, options.device);
  if (!found)
    return read;
  hal::Result<hal::ServiceTotals> totals = hal::readTotals(found->socket);
  if (!totals)
    return read;
  const auto entry = std::ranges::find(totals->devices, found->device, &hal::DeviceTotals::device);
  if (entry != totals->devices.end() && !entry->power.clockLevel.empty())
    read.power_ = entry->power;
  return read;
}

std::optional<analysis::PowerFigures> ServedPower::since(const ServedPower &before, uint32_t runs,
                                                         const firmware::Target &target) const {
  if (!power_ || !before.power_ || power_->executions - before.power_->executions != runs)
    return std::nullopt;
  const std::optional<uint32_t> level = levelBetween(*before.power_, *power_);
  if (!level || *level >= target.power().levels.size())
    return std::nullopt;
  auto average = [&](uint64_t hal::DevicePower::*sum) {
    return static_cast<double>((*power_).*sum - (*before.power_).*sum) / runs;
  };
  return analysis::PowerFigures{power_->clockLevels[*level].state, levelHz(target, *level),
                                average(&hal::DevicePower::dynamicPicojoules),
                                average(&hal::DevicePower::staticPicojoules)};
}

using session::RunRecord;
using session::ServedSession;

/// Reads a .tflite file. A service compiles what it runs, and only this form can be sent through the HAL.
Result<std::vector<uint8_t>> readNetwork(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return invalidArgument(fmt::format(
        "{}: is a directory of artefacts, but a driver service accepts only .tflite files; give the .tflite "
        "file that they were compiled from, or run them without --device: avocet run {}",
        path, path));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> file, readFile(path));
  if (!analysis::isTflite(file))
    return invalidArgument(fmt::format(
        "{}: is no .tflite file, but a driver service accepts only .tflite files; give the .tflite file that "
        "it was made from, or run it without --device: avocet run {}",
        path, path));
  return file;
}

class ServedRun final : public RunPlace {
public:
  explicit ServedRun(const RunOptions &options) : options_(options) {}

  Result<std::unique_ptr<session::Session>> open(Progress &progress) override;
  Status note(uint32_t number, session::RunRecord record) override;
  Status report() override;

private:
  Status checkOptions() const;
  analysis::ServedFigures figures() const;

  const RunOptions &options_;
  LoadedModel model_;
  ServedSession *session_ = nullptr; ///< of open()
  std::optional<ServedPower> before_;
  std::vector<double> deviceMs_, driverMs_, callMs_;
};

Status ServedRun::checkOptions() const {
  AVOCET_RETURN_IF_ERROR(session::checkOptions(options_.served));
  if (!options_.signature.empty())
    return invalidArgument("a service compiles the first subgraph of a model only; leave out --signature or --device");
  if (options_.open.any())
    return invalidArgument(
        "a service compiles a model with the shapes of its file; leave out --shape, --dim, --value or "
        "--device");
  if (!options_.optimise.empty())
    return invalidArgument("a service chooses the schedule itself; leave out --optimise or --device");
  if (!options_.hints.empty())
    return invalidArgument("a service chooses the schedule itself; leave out --hints or --device");
  return Status::ok();
}

Result<std::unique_ptr<session::Session>> ServedRun::open(Progress &progress) {
  AVOCET_RETURN_IF_ERROR(checkOptions());
  std::string target = options_.target;
  if (target.empty()) {
    AVOCET_ASSIGN_OR_RETURN(target, session::targetOfDevice(options_.served.device));
  }
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> file, readNetwork(options_.model));
  AVOCET_ASSIGN_OR_RETURN(model_, loadModel({options_.model, target, {}}, options_.diagnostics, progress));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ServedSession> session, ServedSession::open(model_, file, options_.served));
  if (numRuns(*session, options_) > 1 || !options_.states.empty())
    return unsupported(options_.model + ": a service keeps no states between runs; run the model without --device");
  session_ = session.get();
  before_ = ServedPower::read(options_.served);
  return std::unique_ptr<session::Session>(std::move(session));
}

Status ServedRun::note(uint32_t, session::RunRecord record) {
  deviceMs_.push_back(record.deviceMs);
  driverMs_.push_back(record.driverMs);
  callMs_.push_back(record.hostMs);
  return Status::ok();
}

analysis::ServedFigures ServedRun::figures() const {
  const session::ServedOptions &options = options_.served;
  analysis::ServedFigures figures;
  figures.device = options.device;
  figures.version = session_->version();
  figures.socket = options.socket;
  figures.way = session_->way();
  figures.priority = std::string(session::priorityName(options.priority));
  figures.preference = std::string(session::preferenceName(options.preference));
  figures.deadlineMs = options.deadlineMs;
  figures.prepareMs = session_->prepareMs();
  figures.deviceMs = analysis::spreadOf(deviceMs_);
  figures.driverMs = analysis::spreadOf(driverMs_);
  figures.callMs = analysis::spreadOf(callMs_);
  return figures;
}

/// The record of the run with the shortest device time, which was at a clock of `clockHz`.
session::RunRecord recordOf(const analysis::ServedFigures &figures, uint64_t clockHz) {
  session::RunRecord record;
  record.hostMs = figures.callMs.least;
  record.outcome.counters.cycles =
      static_cast<uint64_t>(std::llround(figures.deviceMs.least * static_cast<double>(clockHz) / 1e3));
  return record;
}

Status ServedRun::report() {
  std::optional<analysis::PowerFigures> power =
      ServedPower::read(options_.served).since(*before_, options_.repeat, *model_.target);
  const uint64_t clockHz = power ? power->clockHz : model_.target->clockHz();
  analysis::ServedFigures served = figures();
  analysis::Report report = analysis::makeReport(model_, session_->properties(model_), recordOf(served, clockHz));
  report.clockHz = clockHz;
  report.simulatedMs = served.deviceMs.least;
  report.power = std::move(power);
  report.served = std::move(served);
  report.runs = options_.repeat;
  report.notes = {"a service reports no cycles of layers and engines; run without --device to get them"};
  if (session_->tellsMicroseconds())
    report.notes.push_back(
        "message queues carry times in whole microseconds, which limits the precision of the cycles");
  printReport(report, options_.report);
  return session_->finish();
}

} // namespace

std::unique_ptr<RunPlace> runInService(const RunOptions &options) { return std::make_unique<ServedRun>(options); }

} // namespace avocet::tool
