//===- ServedSession.cpp - One model on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ServedSession.h"

#include "avocet/base/Trace.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/types/ErrorText.h"
#include "avocet/session/HalRequest.h"
#include "avocet/session/Session.h"

#include <chrono>
#include <fmt/format.h>

namespace avocet::session {

using Clock = std::chrono::steady_clock;

Result<std::string> targetOfDevice(const std::string &device) {
  constexpr std::string_view kPrefix = "avocet-";
  const std::string name(hal::deviceNameIn(device.starts_with(kPrefix) ? device.substr(kPrefix.size()) : device));
  if (firmware::Target::load(name))
    return name;
  return notFound(
      fmt::format("device '{}' is not named after a shipped target; give its target file with --target", device));
}

Status checkOptions(const ServedOptions &options) {
  if (options.burst == BurstUse::Queues && options.deadlineMs > 0)
    return invalidArgument("--burst=queues with --deadline: message queues carry no deadlines; use --burst=calls");
  return Status::ok();
}

std::string_view priorityName(hal::Priority priority) {
  constexpr std::string_view kNames[] = {"low", "medium", "high"};
  return kNames[static_cast<size_t>(priority)];
}

std::string_view preferenceName(hal::ExecutionPreference preference) {
  constexpr std::string_view kNames[] = {"low-power", "fast", "sustained"};
  return kNames[static_cast<size_t>(preference)];
}

namespace {

ServedOptions chosenBurst(ServedOptions options) {
  if (options.burst == BurstUse::Fastest)
    options.burst = options.deadlineMs > 0 ? BurstUse::Calls : BurstUse::Queues;
  return options;
}

} // namespace

Result<std::unique_ptr<ServedSession>> ServedSession::open(const LoadedModel &model, const NetworkFile &file,
                                                           const ServedOptions &options) {
  hal::ConnectOptions connect;
  connect.patience = hal::kRegistryPatience; // a user waits for the program
  connect.burst = chosenBurst(options).burst == BurstUse::Calls ? hal::BurstKind::Calls : hal::BurstKind::Queues;
  auto found = hal::findDevice(options.socket, options.device);
  if (!found)
    return toStatus(found.error());
  auto device = hal::connectDevice(*found, connect);
  if (!device)
    return toStatus(device.error());
  return openOn(**device, model, file, options);
}

Result<std::unique_ptr<ServedSession>> ServedSession::openOn(hal::IDevice &device, const LoadedModel &model,
                                                             const NetworkFile &file, const ServedOptions &options) {
  std::unique_ptr<ServedSession> session(new ServedSession(model.artefacts.model));
  session->options_ = chosenBurst(options);
  AVOCET_RETURN_IF_ERROR(session->prepare(device, model, file));
  AVOCET_ASSIGN_OR_RETURN(session->request_, HalRequest::make(*session->model_));
  return session;
}

Status ServedSession::prepare(hal::IDevice &device, const LoadedModel &model, const NetworkFile &file) {
  version_ = device.versionString();
  hal::PrepareOptions preparation;
  preparation.priority = options_.priority;
  preparation.preference = options_.preference;
  auto start = Clock::now();
  auto prepared = device.prepareModel(carriedModel(file, *model.artefacts.model), preparation);
  if (!prepared)
    return toStatus(prepared.error());
  prepareMs_ = millisecondsSince(start);
  prepared_ = std::move(*prepared);
  if (options_.burst == BurstUse::None)
    return Status::ok();
  auto burst = prepared_->configureBurst();
  if (!burst)
    return toStatus(burst.error());
  burst_ = std::move(*burst);
  return Status::ok();
}

runtime::DeviceProperties ServedSession::properties(const LoadedModel &model) const {
  runtime::DeviceProperties properties;
  properties.backend = options_.device + " of a driver service";
  properties.target = model.target;
  properties.measures = false;
  return properties;
}

std::string ServedSession::way() const {
  if (burst_ == nullptr)
    return "calls";
  return options_.burst == BurstUse::Queues ? "burst of message queues" : "burst of calls";
}

hal::ExecutionOutcome ServedSession::execute(const hal::ExecutionOptions &options) {
  constexpr int64_t kPool = 0; ///< the burst's identifier of the only memory
  return burst_ ? burst_->execute(request_.request(), {kPool}, options)
                : prepared_->execute(request_.request(), options);
}

Result<RunRecord> ServedSession::run() {
  TraceSpan span("run");
  hal::ExecutionOptions options;
  options.measure = hal::MeasureTiming::Yes;
  auto start = Clock::now();
  if (options_.deadlineMs > 0)
    options.deadline = hal::BootClock::now() + std::chrono::duration_cast<hal::Duration>(
                                                   std::chrono::duration<double, std::milli>(options_.deadlineMs));
  hal::ExecutionOutcome outcome = execute(options);
  RunRecord record;
  record.hostMs = millisecondsSince(start);
  if (!outcome.isOk())
    return toStatus(hal::Error{outcome.status, outcome.message});
  record.driverMs = milliseconds(outcome.timing.timeInDriver);
  record.deviceMs = milliseconds(outcome.timing.timeOnDevice);
  return record;
}

} // namespace avocet::session
