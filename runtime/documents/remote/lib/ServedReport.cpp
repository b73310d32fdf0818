//===- ServedReport.cpp - Runs on a device of a service, as a report ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/ServedReport.h"

#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/DevicePower.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace avocet::documents {

/// The sums of a device at one moment, if this process may read the service's totals.
class ServedReport::Power {
public:
  static Power read(const session::ServedOptions &options);

  /// The average of `runs` runs since `before`. Nothing: not readable, the device has no clock levels, other clients
  /// ran too, or the runs had different levels.
  std::optional<analysis::PowerFigures> since(const Power &before, uint32_t runs, const firmware::Target &target) const;

private:
  std::optional<hal::DevicePower> power_;
};

namespace {

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

} // namespace

ServedReport::Power ServedReport::Power::read(const session::ServedOptions &options) {
  Power read;
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

std::optional<analysis::PowerFigures> ServedReport::Power::since(const Power &before, uint32_t runs,
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

ServedReport::ServedReport(const session::ServedOptions &options)
    : options_(options), before_(std::make_unique<const Power>(Power::read(options))) {}

ServedReport::~ServedReport() = default;

/// Limits the memory of a session that runs for days.
static constexpr ptrdiff_t kMostTimes = 1 << 16;

void ServedReport::note(const session::RunRecord &record) {
  ++count_;
  if (std::ssize(callMs_) == 2 * kMostTimes)
    for (std::vector<double> *times : {&deviceMs_, &driverMs_, &callMs_})
      times->erase(times->begin(), times->begin() + kMostTimes);
  deviceMs_.push_back(record.deviceMs);
  driverMs_.push_back(record.driverMs);
  callMs_.push_back(record.hostMs);
}

analysis::ServedFigures ServedReport::figures(const session::ServedSession &session) const {
  analysis::ServedFigures figures;
  figures.device = options_.device;
  figures.version = session.version();
  figures.socket = options_.socket;
  figures.way = session.way();
  figures.priority = std::string(session::priorityName(options_.priority));
  figures.preference = std::string(session::preferenceName(options_.preference));
  figures.deadlineMs = options_.deadlineMs;
  figures.prepareMs = session.prepareMs();
  figures.deviceMs = analysis::spreadOf(deviceMs_);
  figures.driverMs = analysis::spreadOf(driverMs_);
  figures.callMs = analysis::spreadOf(callMs_);
  return figures;
}

namespace {

/// The record of the run with the shortest device time, which was at a clock of `clockHz`.
session::RunRecord recordOf(const analysis::ServedFigures &figures, uint64_t clockHz) {
  session::RunRecord record;
  record.hostMs = figures.callMs.least;
  record.outcome.counters.cycles =
      static_cast<uint64_t>(std::llround(figures.deviceMs.least * static_cast<double>(clockHz) / 1e3));
  return record;
}

} // namespace

analysis::Report ServedReport::make(const session::LoadedModel &model, const session::ServedSession &session) const {
  std::optional<analysis::PowerFigures> power = Power::read(options_).since(*before_, count_, *model.target);
  const uint64_t clockHz = power ? power->clockHz : model.target->clockHz();
  analysis::ServedFigures served = figures(session);
  analysis::Report report = analysis::makeReport(model, session.properties(model), recordOf(served, clockHz));
  report.clockHz = clockHz;
  report.simulatedMs = served.deviceMs.least;
  report.power = std::move(power);
  report.served = std::move(served);
  report.runs = count_;
  report.notes = {"a service reports no cycles of layers and engines; run without --device to get them"};
  if (session.tellsMicroseconds())
    report.notes.push_back(
        "message queues carry times in whole microseconds, which limits the precision of the cycles");
  return report;
}

} // namespace avocet::documents
