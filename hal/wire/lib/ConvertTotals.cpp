//===- ConvertTotals.cpp - Totals of a service as messages -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Convert.h"
#include "avocet/hal/wire/ServiceTotals.h"

#include <algorithm>

namespace avocet::hal::ipc {

namespace {

using StateTimeMessages = std::vector<std::unique_ptr<fb::StateTimeT>>;

StateTimeMessages toMessages(const std::vector<StateTime> &times) {
  StateTimeMessages messages;
  for (const StateTime &time : times) {
    auto &message = *messages.emplace_back(std::make_unique<fb::StateTimeT>());
    message.state = time.state;
    message.nanoseconds = time.nanoseconds;
  }
  return messages;
}

std::vector<StateTime> fromMessages(const StateTimeMessages &messages) {
  std::vector<StateTime> times;
  for (const auto &message : messages)
    times.push_back({message->state, message->nanoseconds});
  return times;
}

std::unique_ptr<fb::DevicePowerT> toMessage(const DevicePower &power) {
  auto message = std::make_unique<fb::DevicePowerT>();
  message->clock_level = power.clockLevel;
  message->idle_state = power.idleState;
  message->bursts = power.bursts;
  message->executions = power.executions;
  message->wake_ups = power.wakeUps;
  message->dynamic_picojoules = power.dynamicPicojoules;
  message->static_picojoules = power.staticPicojoules;
  message->idle_picojoules = power.idlePicojoules;
  message->wake_picojoules = power.wakePicojoules;
  message->awake_nanoseconds = power.awakeNanoseconds;
  message->clock_levels = toMessages(power.clockLevels);
  message->idle_states = toMessages(power.idleStates);
  return message;
}

/// A service without this field is older.
DevicePower fromMessage(const std::unique_ptr<fb::DevicePowerT> &message) {
  if (message == nullptr)
    return {};
  return {message->clock_level,
          message->idle_state,
          message->bursts,
          message->executions,
          message->wake_ups,
          message->dynamic_picojoules,
          message->static_picojoules,
          message->idle_picojoules,
          message->wake_picojoules,
          message->awake_nanoseconds,
          fromMessages(message->clock_levels),
          fromMessages(message->idle_states)};
}

} // namespace

std::unique_ptr<fb::TotalsT> toMessage(const ServiceTotals &totals) {
  auto message = std::make_unique<fb::TotalsT>();
  message->clients_now = totals.clientsNow;
  message->clients_ever = totals.clientsEver;
  message->calls_ever = totals.callsEver;
  message->objects_now = totals.objectsNow;
  message->bursts_now = totals.burstsNow;
  message->descriptors_now = totals.descriptorsNow;
  for (const DeviceTotals &device : totals.devices) {
    auto &entry = *message->devices.emplace_back(std::make_unique<fb::DeviceTotalsT>());
    entry.device = device.device;
    entry.clients = device.clients;
    entry.prepared_models = device.preparedModels;
    entry.buffers = device.buffers;
    entry.executions = device.executions;
    entry.memory_bytes = device.memoryBytes;
    entry.host_bytes_copied = device.hostBytesCopied;
    entry.compiler_crashes = device.compilerCrashes;
    entry.compiler_restarts = device.compilerRestarts;
    entry.executions_ever = device.executionsEver;
    entry.executions_failed = device.executionsFailed;
    entry.compiler_runs = device.compilerRuns;
    entry.compiler_nanoseconds = device.compilerNanoseconds;
    entry.cache_hits = device.cacheHits;
    entry.cache_misses = device.cacheMisses;
    if (!device.power.clockLevel.empty())
      entry.power = toMessage(device.power);
  }
  message->call_errors.assign(totals.callErrors.begin(), totals.callErrors.end());
  message->driver_nanoseconds = totals.driverNanoseconds;
  message->device_nanoseconds = totals.deviceNanoseconds;
  message->simulated_nanoseconds = totals.simulatedNanoseconds;
  message->compiler_errors = totals.compilerErrors;
  return message;
}

ServiceTotals fromMessage(const fb::TotalsT &message) {
  ServiceTotals totals{message.clients_now,
                       message.clients_ever,
                       message.calls_ever,
                       message.objects_now,
                       message.bursts_now,
                       message.descriptors_now,
                       {},
                       message.driver_nanoseconds,
                       message.device_nanoseconds,
                       message.simulated_nanoseconds,
                       {},
                       message.compiler_errors};
  for (const auto &device : message.devices)
    totals.devices.push_back({device->device, device->clients, device->prepared_models, device->buffers,
                              device->executions, device->memory_bytes, device->host_bytes_copied,
                              device->compiler_crashes, device->compiler_restarts, device->executions_ever,
                              device->executions_failed, device->compiler_runs, device->compiler_nanoseconds,
                              device->cache_hits, device->cache_misses, fromMessage(device->power)});
  // A service of another version may know fewer codes, or more.
  std::copy_n(message.call_errors.begin(), std::min(message.call_errors.size(), totals.callErrors.size()),
              totals.callErrors.begin());
  return totals;
}

} // namespace avocet::hal::ipc
