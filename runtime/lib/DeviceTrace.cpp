//===- DeviceTrace.cpp - The device's commands in a trace -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/DeviceTrace.h"

#include "avocet/cache/LayerNames.h"
#include "avocet/firmware_iface/Names.h"

#include <fmt/core.h>

namespace avocet::runtime {
namespace {

std::string_view operationName(uint32_t operation) {
  const auto &names = firmware::kOperationNames;
  return operation < names.size() ? names[operation] : "unknown";
}

/// Viewers sort tracks by name: the number gives the order of the engines.
std::string trackName(const firmware::Engine &engine) {
  std::string name = fmt::format("{} {}", static_cast<uint32_t>(engine.kind) + 1, titleOf(engine.kind));
  return engine.kind == firmware::EngineKind::Dma ? fmt::format("{} {}", name, engine.index) : name;
}

/// The clock of the spans and of the job's start.
struct SpanClock {
  const firmware::Target &target;
  uint64_t origin;
  uint32_t percent; ///< of the default clock, in which `origin` is counted
  double shift;     ///< microseconds that all times are moved by

  uint64_t deviceCycle(uint64_t cycle) const { return origin + cycle * 100 / percent; }
  double microseconds(uint64_t cycle) const {
    return (target.nanoseconds(origin) + target.nanoseconds(cycle) * 100 / percent) / 1e3 + shift;
  }
};

TraceEvent eventOf(const firmware::CommandSpan &span, const SpanClock &clock) {
  const double start = clock.microseconds(span.startCycle);
  const double end = clock.microseconds(span.endCycle);
  TraceEvent event{
      TraceClock::Device, trackName(span.engine), std::string(operationName(span.operation)), start, end - start, {}};
  event.arguments = {{"command", std::to_string(span.command)},
                     {"start_cycle", std::to_string(clock.deviceCycle(span.startCycle))},
                     {"cycles", std::to_string(span.endCycle - span.startCycle)}};
  return event;
}

} // namespace

void addDeviceSpans(Trace &trace, const firmware::JobProfile &profile, const cache::ModelCache &model,
                    const firmware::Target &target, uint64_t origin, double shift) {
  const std::vector<std::string> layers = cache::layerNames(model, cache::kTraceNameWidth);
  for (const firmware::CommandSpan &span : profile.spans) {
    TraceEvent event = eventOf(span, {target, origin, profile.clockPercent, shift});
    if (span.layer < layers.size()) {
      event.name += " " + layers[span.layer];
      event.arguments.emplace_back("layer", std::to_string(span.layer));
    }
    trace.add(std::move(event));
  }
}

} // namespace avocet::runtime
