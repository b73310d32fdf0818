//===- DeviceTrace.cpp - The device's commands in a trace -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTrace.h"

#include "avocet/firmware_iface/Codec.h"

#include <array>
#include <fmt/core.h>
#include <utility>

namespace avocet::tool {
namespace {

template <size_t... I> auto makeOperationNames(std::index_sequence<I...>) {
  return std::array{firmware::nameOf(firmware::CommandBody(std::in_place_index<I>))...};
}

std::string_view operationName(uint32_t operation) {
  static const auto names = makeOperationNames(std::make_index_sequence<std::variant_size_v<firmware::CommandBody>>());
  return operation < names.size() ? names[operation] : "unknown";
}

std::string trackName(const firmware::Engine &engine) {
  constexpr std::string_view kNames[] = {"1 MAC array", "2 DSP", "3 DMA"};
  std::string name(kNames[static_cast<size_t>(engine.kind)]);
  return engine.kind == firmware::EngineKind::Dma ? fmt::format("{} {}", name, engine.index) : name;
}

} // namespace

void addDeviceSpans(Trace &trace, const runtime::JobProfile &profile, const LoadedModel &model) {
  const cache::ModelCache &cache = *model.artefacts.model;
  for (const runtime::CommandSpan &span : profile.spans) {
    double start = model.target->nanoseconds(span.startCycle) / 1e3;
    double end = model.target->nanoseconds(span.endCycle) / 1e3;
    TraceEvent event{
        TraceClock::Device, trackName(span.engine), std::string(operationName(span.operation)), start, end - start, {}};
    event.arguments = {{"command", std::to_string(span.command)},
                       {"start_cycle", std::to_string(span.startCycle)},
                       {"cycles", std::to_string(span.endCycle - span.startCycle)}};
    if (span.layer < cache.numLayers()) {
      event.name += fmt::format(" {}", cache.layer(span.layer).name);
      event.arguments.emplace_back("layer", std::to_string(span.layer));
    }
    trace.add(std::move(event));
  }
}

} // namespace avocet::tool
