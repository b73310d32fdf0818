//===- ProfileTranslation.cpp - Converts the simulator's profiles -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileTranslation.h"

namespace avocet::runtime {
namespace {

LayerProfile translateLayer(const sim::LayerCounters &counters) {
  LayerProfile layer;
  layer.layer = counters.layer;
  layer.startCycle = counters.startCycle;
  layer.endCycle = counters.endCycle;
  layer.busyCycles = counters.busyCycles;
  layer.stallCycles = counters.stallCycles;
  layer.sramReadBytes = counters.sramReadBytes;
  layer.sramWriteBytes = counters.sramWriteBytes;
  layer.dramReadBytes = counters.dramReadBytes;
  layer.dramWriteBytes = counters.dramWriteBytes;
  layer.macs = counters.macs;
  layer.dspOperations = counters.dspOperations;
  layer.commands = counters.commands;
  layer.energyPicojoules = counters.energyPicojoules;
  return layer;
}

PreemptionProfile translatePreemption(const sim::PreemptionCounters &counters) {
  return {counters.preemptions, counters.suspendedCycles, counters.liveBytes, counters.evacuatedBytes};
}

} // namespace

JobProfile translateProfile(const sim::JobProfile &profile) {
  JobProfile translated;
  translated.userData = profile.record.userData;
  translated.arrivalCycle = profile.record.arrivalCycle;
  translated.startCycle = profile.record.startCycle;
  translated.endCycle = profile.record.endCycle;
  translated.counters = profile.record.counters;
  translated.preemption = translatePreemption(profile.preemption);
  for (const sim::LayerCounters &counters : profile.layers)
    translated.layers.push_back(translateLayer(counters));
  for (const sim::CommandSpan &span : profile.spans)
    translated.spans.push_back({span.engine, span.command, span.layer, span.operation, span.startCycle, span.endCycle});
  return translated;
}

} // namespace avocet::runtime
