//===- ServedSession.cpp - One model on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedSession.h"

#include "CarriedModel.h"
#include "avocet/base/Trace.h"
#include "avocet/hal/Client.h"

#include <chrono>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Status statusOf(const hal::Error &error) {
  return Status(StatusCode::Aborted, fmt::format("{}: {}", toString(error.code), error.message));
}

/// Regions one behind the other, each on a multiple of this.
constexpr uint64_t kAlignment = 64;

} // namespace

Result<std::string> targetOfDevice(const std::string &device) {
  constexpr std::string_view kPrefix = "avocet-";
  std::string name = device.starts_with(kPrefix) ? device.substr(kPrefix.size()) : device;
  if (firmware::Target::load(name))
    return name;
  return notFound(
      fmt::format("device '{}' is not named after a shipped target; give its target file with --target", device));
}

Result<std::unique_ptr<ServedSession>> ServedSession::open(const LoadedModel &model, std::span<const uint8_t> file,
                                                           const ServedDeviceName &name) {
  auto device = hal::connectDevice(name.socket, name.device);
  if (!device)
    return statusOf(device.error());
  std::unique_ptr<ServedSession> session(new ServedSession);
  session->model_ = model.artefacts.model;
  session->target_ = model.target;
  session->device_ = name.device;
  auto start = Clock::now();
  auto prepared = (*device)->prepareModel(carriedModel(file, *model.artefacts.model), {});
  if (!prepared)
    return statusOf(prepared.error());
  session->prepareMs_ = millisecondsSince(start);
  session->prepared_ = std::move(*prepared);
  AVOCET_RETURN_IF_ERROR(session->makePool());
  return session;
}

Status ServedSession::makePool() {
  uint64_t size = 0;
  auto place = [&](const cache::OperandView &operand) {
    hal::RequestArgument argument{false, {0, size, operand.bytes, 0}, {}};
    size = (size + operand.bytes + kAlignment - 1) / kAlignment * kAlignment;
    return argument;
  };
  for (size_t i = 0; i < model_->numInputs(); ++i)
    request_.inputs.push_back(place(model_->input(i)));
  for (size_t i = 0; i < model_->numOutputs(); ++i)
    request_.outputs.push_back(place(model_->output(i)));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-run", size));
  AVOCET_ASSIGN_OR_RETURN(pool_, Mapping::map(file.get(), size, Mapping::Access::ReadWrite));
  auto handle = std::make_shared<const FileDescriptor>(std::move(file));
  request_.pools = {std::make_shared<const hal::Memory>(hal::Memory{hal::Ashmem{std::move(handle), size}})};
  return Status::ok();
}

std::span<uint8_t> ServedSession::bytesOf(const hal::RequestArgument &argument) const {
  return pool_.bytes().subspan(argument.location.offset, argument.location.length);
}

runtime::DeviceProperties ServedSession::properties(const LoadedModel &model) const {
  runtime::DeviceProperties properties;
  properties.backend = device_ + " of a driver service";
  properties.target = model.target;
  properties.measures = false;
  return properties;
}

Result<RunRecord> ServedSession::run() {
  TraceSpan span("run");
  hal::ExecutionOptions options;
  options.measure = hal::MeasureTiming::Yes;
  auto start = Clock::now();
  hal::ExecutionOutcome outcome = prepared_->execute(request_, options);
  RunRecord record;
  record.hostMs = millisecondsSince(start);
  if (!outcome.isOk())
    return statusOf({outcome.status, outcome.message});
  double nanoseconds = static_cast<double>(outcome.timing.timeOnDevice.value_or(hal::Duration()).count());
  record.outcome.counters.cycles =
      static_cast<uint64_t>(nanoseconds * static_cast<double>(target_->clockHz()) / 1e9 + 0.5);
  driverMs_ = static_cast<double>(outcome.timing.timeInDriver.value_or(hal::Duration()).count()) / 1e6;
  return record;
}

} // namespace avocet::tool
