//===- PluginValues.cpp - Values of the plug-in table and of the runtime --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginValues.h"

#include "avocet/base/Log.h"

#include <bit>
#include <span>

namespace avocet::runtime::plugin {
namespace {

using firmware::FaultCode;
using firmware::JobState;

static_assert(static_cast<uint32_t>(JobState::Complete) == AVOCET_BACKEND_COMPLETE &&
              static_cast<uint32_t>(JobState::Faulted) == AVOCET_BACKEND_FAULTED);
static_assert(firmware::kNoIndex == AVOCET_BACKEND_NO_INDEX && firmware::kNoLayer == AVOCET_BACKEND_NO_INDEX);
static_assert(firmware::kNumFaultCodes == 20 && firmware::kNumEngineKinds == 3 && firmware::kNumStallCauses == 5);
static_assert(sizeof(AvocetBackendCounters) == sizeof(firmware::JobCounters) &&
              offsetof(AvocetBackendCounters, stallCycles) == offsetof(firmware::JobCounters, stallCycles) &&
              offsetof(AvocetBackendCounters, macs) == offsetof(firmware::JobCounters, macs) &&
              offsetof(AvocetBackendCounters, energyPicojoules) == offsetof(firmware::JobCounters, energyPicojoules));

AvocetBackendCounters toPlugin(const firmware::JobCounters &counters) {
  return std::bit_cast<AvocetBackendCounters>(counters);
}

firmware::JobCounters fromPlugin(const AvocetBackendCounters &counters) {
  return std::bit_cast<firmware::JobCounters>(counters);
}

/// An engine's kind that a name can be printed for.
uint32_t engineKindOf(uint32_t kind) { return kind < firmware::kNumEngineKinds ? kind : firmware::kNoIndex; }

AvocetBackendLayer toPlugin(const firmware::LayerCounters &layer) {
  AvocetBackendLayer result{.layer = layer.layer,
                            .reserved = 0,
                            .startCycle = layer.startCycle,
                            .endCycle = layer.endCycle,
                            .counters = {},
                            .energyPicojoules = layer.energyPicojoules};
  AvocetBackendCounters &counters = result.counters;
  counters.cycles = layer.endCycle - layer.startCycle;
  std::ranges::copy(layer.busyCycles, counters.busyCycles);
  for (uint32_t engine = 0; engine < firmware::kNumEngineKinds; ++engine)
    std::ranges::copy(layer.stallCycles[engine], counters.stallCycles[engine]);
  counters.sramReadBytes = layer.sramReadBytes;
  counters.sramWriteBytes = layer.sramWriteBytes;
  counters.dramReadBytes = layer.dramReadBytes;
  counters.dramWriteBytes = layer.dramWriteBytes;
  counters.macs = layer.macs;
  counters.dspOperations = layer.dspOperations;
  counters.commands = layer.commands;
  return result;
}

firmware::LayerCounters fromPlugin(const AvocetBackendLayer &layer) {
  const AvocetBackendCounters &counters = layer.counters;
  firmware::LayerCounters result;
  result.layer = layer.layer;
  result.startCycle = layer.startCycle;
  result.endCycle = layer.endCycle;
  std::ranges::copy(counters.busyCycles, result.busyCycles.begin());
  for (uint32_t engine = 0; engine < firmware::kNumEngineKinds; ++engine)
    std::ranges::copy(counters.stallCycles[engine], result.stallCycles[engine].begin());
  result.sramReadBytes = counters.sramReadBytes;
  result.sramWriteBytes = counters.sramWriteBytes;
  result.dramReadBytes = counters.dramReadBytes;
  result.dramWriteBytes = counters.dramWriteBytes;
  result.macs = counters.macs;
  result.dspOperations = counters.dspOperations;
  result.commands = counters.commands;
  result.energyPicojoules = layer.energyPicojoules;
  return result;
}

AvocetBackendTraffic toPlugin(const firmware::RegionTraffic &traffic) {
  return {traffic.region, 0, traffic.readBytes, traffic.writeBytes};
}

firmware::RegionTraffic fromPlugin(const AvocetBackendTraffic &traffic) {
  return {traffic.region, traffic.readBytes, traffic.writeBytes};
}

AvocetBackendSpan toPlugin(const firmware::CommandSpan &span) {
  return {static_cast<uint32_t>(span.engine.kind),
          span.engine.index,
          span.command,
          span.layer,
          span.operation,
          span.run,
          span.startCycle,
          span.endCycle,
          span.drainCycles};
}

firmware::CommandSpan fromPlugin(const AvocetBackendSpan &span) {
  return {{static_cast<firmware::EngineKind>(span.engineKind), span.engineIndex},
          span.command,
          span.layer,
          span.operation,
          span.startCycle,
          span.endCycle,
          span.run,
          span.drainCycles};
}

AvocetBackendSection toPlugin(const firmware::SectionSpan &section) {
  return {section.section, 0, section.startCycle, section.endCycle};
}

firmware::SectionSpan fromPlugin(const AvocetBackendSection &section) {
  return {section.section, section.startCycle, section.endCycle};
}

template <typename To, typename From> std::vector<To> convertAll(const From *first, size_t count) {
  std::vector<To> result;
  if (first == nullptr)
    return result;
  result.reserve(count);
  for (const From &each : std::span(first, count)) {
    if constexpr (requires { fromPlugin(each); })
      result.push_back(fromPlugin(each));
    else
      result.push_back(toPlugin(each));
  }
  return result;
}

firmware::CompletionRecord recordOf(const JobOutcome &outcome) {
  firmware::CompletionRecord record{};
  record.state = static_cast<uint32_t>(outcome.state);
  record.faultCode = static_cast<uint32_t>(outcome.fault);
  record.faultEngineKind = outcome.faultEngineKind;
  record.faultEngineIndex = outcome.faultEngineIndex;
  record.faultCommand = outcome.faultCommand;
  record.faultSection = outcome.faultSection;
  record.faultLayer = outcome.faultLayer;
  record.faultRegion = outcome.faultRegion;
  record.faultAddress = outcome.faultAddress;
  record.arrivalCycle = outcome.arrivalCycle;
  record.startCycle = outcome.startCycle;
  record.endCycle = outcome.endCycle;
  record.counters = outcome.counters;
  record.indexExtent = outcome.badIndex.extent;
  record.indexLayer = outcome.badIndex.layer;
  record.index = outcome.badIndex.index;
  return record;
}

} // namespace

AvocetBackendOutcome toPlugin(const JobOutcome &outcome) {
  return {.size = sizeof(AvocetBackendOutcome),
          .state = static_cast<uint32_t>(outcome.state),
          .fault = static_cast<uint32_t>(outcome.fault),
          .faultEngineKind = outcome.faultEngineKind,
          .faultEngineIndex = outcome.faultEngineIndex,
          .faultCommand = outcome.faultCommand,
          .faultSection = outcome.faultSection,
          .faultLayer = outcome.faultLayer,
          .faultRegion = outcome.faultRegion,
          .indexExtent = outcome.badIndex.extent,
          .indexLayer = outcome.badIndex.layer,
          .reserved = 0,
          .index = outcome.badIndex.index,
          .faultAddress = outcome.faultAddress,
          .arrivalCycle = outcome.arrivalCycle,
          .startCycle = outcome.startCycle,
          .endCycle = outcome.endCycle,
          .counters = toPlugin(outcome.counters)};
}

JobOutcome fromPlugin(const AvocetBackendOutcome &outcome) {
  JobOutcome result;
  result.state = outcome.state == AVOCET_BACKEND_COMPLETE ? JobState::Complete : JobState::Faulted;
  result.fault = static_cast<FaultCode>(outcome.fault);
  const bool hasFault = outcome.fault != 0 && outcome.fault < firmware::kNumFaultCodes;
  if (outcome.state != AVOCET_BACKEND_COMPLETE && (outcome.state != AVOCET_BACKEND_FAULTED || !hasFault)) {
    logMessage(LogLevel::Error, "runtime", "a plug-in reports a job with state {} and fault {}; it counts as failed",
               outcome.state, outcome.fault);
    result.fault = FaultCode::HardwareError;
  } else if (result.state == JobState::Complete) {
    result.fault = FaultCode::None;
  }
  result.faultEngineKind = engineKindOf(outcome.faultEngineKind);
  result.faultEngineIndex = outcome.faultEngineIndex;
  result.faultCommand = outcome.faultCommand;
  result.faultSection = outcome.faultSection;
  result.faultLayer = outcome.faultLayer;
  result.faultRegion = outcome.faultRegion;
  result.faultAddress = outcome.faultAddress;
  result.arrivalCycle = outcome.arrivalCycle;
  result.startCycle = outcome.startCycle;
  result.endCycle = outcome.endCycle;
  result.counters = fromPlugin(outcome.counters);
  result.badIndex = {outcome.indexExtent, outcome.indexLayer, outcome.index};
  return result;
}

void passToPlugin(const firmware::JobProfile &profile,
                  const std::function<void(const AvocetBackendProfile &)> &receiver) {
  const AvocetBackendOutcome outcome = toPlugin(outcomeOf(profile.record));
  const auto layers = convertAll<AvocetBackendLayer>(profile.layers.data(), profile.layers.size());
  const auto regions = convertAll<AvocetBackendTraffic>(profile.regions.data(), profile.regions.size());
  const auto spans = convertAll<AvocetBackendSpan>(profile.spans.data(), profile.spans.size());
  const auto sections = convertAll<AvocetBackendSection>(profile.sections.data(), profile.sections.size());
  receiver({.size = sizeof(AvocetBackendProfile),
            .context = profile.context,
            .ring = profile.ring,
            .clockPercent = profile.clockPercent,
            .sequence = profile.record.sequence,
            .userData = profile.record.userData,
            .outcome = &outcome,
            .layers = layers.data(),
            .regions = regions.data(),
            .spans = spans.data(),
            .sections = sections.data(),
            .layerCount = static_cast<uint32_t>(layers.size()),
            .regionCount = static_cast<uint32_t>(regions.size()),
            .spanCount = static_cast<uint32_t>(spans.size()),
            .sectionCount = static_cast<uint32_t>(sections.size()),
            .preemptions = profile.preemption.preemptions,
            .suspendedCycles = profile.preemption.suspendedCycles,
            .liveBytes = profile.preemption.liveBytes,
            .evacuatedBytes = profile.preemption.evacuatedBytes});
}

firmware::JobProfile fromPlugin(const AvocetBackendProfile &profile) {
  firmware::JobProfile result;
  result.context = profile.context;
  result.ring = profile.ring;
  if (profile.outcome != nullptr)
    result.record = recordOf(fromPlugin(readSized(profile.outcome)));
  result.record.sequence = profile.sequence;
  result.record.userData = profile.userData;
  result.preemption = {profile.preemptions, profile.suspendedCycles, profile.liveBytes, profile.evacuatedBytes};
  result.layers = convertAll<firmware::LayerCounters>(profile.layers, profile.layerCount);
  result.regions = convertAll<firmware::RegionTraffic>(profile.regions, profile.regionCount);
  result.spans = convertAll<firmware::CommandSpan>(profile.spans, profile.spanCount);
  result.sections = convertAll<firmware::SectionSpan>(profile.sections, profile.sectionCount);
  result.clockPercent = profile.clockPercent == 0 ? 100 : profile.clockPercent;
  std::erase_if(result.spans, [&](const firmware::CommandSpan &span) {
    return static_cast<uint32_t>(span.engine.kind) >= firmware::kNumEngineKinds ||
           span.run >= std::max<size_t>(1, result.sections.size());
  });
  return result;
}

} // namespace avocet::runtime::plugin
