//===- TraceJson.cpp - The commands of a job as a trace ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/sim/Profile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace avocet::sim {

using namespace firmware;
using Json = nlohmann::ordered_json;

/// Names by index in CommandBody.
static constexpr std::array<const char *, std::variant_size_v<CommandBody>> kOperationNames = {
    "end", "wait", "signal", "yield", "dma", "conv", "pool", "eltwise", "lookup", "dsp"};

static constexpr uint32_t kJobThread = 0;

static std::string nameOf(Engine engine) {
  switch (engine.kind) {
  case EngineKind::Mac:
    return "MAC array";
  case EngineKind::Dsp:
    return "vector DSP";
  case EngineKind::Dma:
    break;
  }
  return "DMA " + std::to_string(engine.index);
}

static Json threadName(uint32_t process, uint32_t thread, const std::string &name) {
  return {{"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", "thread_name"}, {"args", {{"name", name}}}};
}

/// A complete event. Times are microseconds.
static Json span(uint32_t process, uint32_t thread, const std::string &name, double start, double duration, Json args) {
  return {{"ph", "X"},   {"pid", process},  {"tid", thread},          {"name", name},
          {"ts", start}, {"dur", duration}, {"args", std::move(args)}};
}

namespace {

/// Converts cycles that a job has run to cycles since its start.
class Clock {
public:
  explicit Clock(const std::vector<Suspension> &suspensions) : suspensions_(suspensions) {}

  /// A span that begins at a stop begins when the job continues; a span that ends there ends before the stop.
  uint64_t begin(uint64_t cycle) const {
    return cycle + suspended([&](const Suspension &s) { return s.atCycle <= cycle; });
  }
  uint64_t end(uint64_t cycle) const {
    return cycle + suspended([&](const Suspension &s) { return s.atCycle < cycle; });
  }

private:
  template <typename Condition> uint64_t suspended(Condition &&isBefore) const {
    uint64_t cycles = 0;
    for (const Suspension &suspension : suspensions_)
      cycles += isBefore(suspension) ? suspension.cycles : 0;
    return cycles;
  }
  const std::vector<Suspension> &suspensions_;
};

} // namespace

std::string traceJson(const JobProfile &profile, const Target &target) {
  auto microseconds = [&](uint64_t cycles) { return target.nanoseconds(cycles) / 1000.0; };
  const CompletionRecord &record = profile.record;
  const uint64_t base = record.startCycle;
  const uint32_t process = profile.context;
  Json events = Json::array();
  events.push_back(threadName(process, kJobThread, "job"));
  events.push_back(span(process, kJobThread, "job " + std::to_string(record.sequence), microseconds(base),
                        microseconds(record.endCycle - base), {{"cycles", record.endCycle - base}}));

  const Clock clock(profile.suspensions);
  for (const Suspension &suspension : profile.suspensions)
    events.push_back(span(process, kJobThread, "suspended", microseconds(base + clock.end(suspension.atCycle)),
                          microseconds(suspension.cycles), {{"cycles", suspension.cycles}}));

  std::map<Engine, uint32_t> threads;
  for (const CommandSpan &s : profile.spans)
    threads.emplace(s.engine, 0);
  uint32_t next = kJobThread;
  for (auto &[engine, thread] : threads) {
    thread = ++next;
    events.push_back(threadName(process, thread, nameOf(engine)));
  }
  for (const CommandSpan &s : profile.spans) {
    Json args{{"command", s.command}, {"cycles", s.endCycle - s.startCycle}};
    if (s.layer != kNoLayer)
      args["layer"] = s.layer;
    std::string name = kOperationNames[s.operation];
    if (s.layer != kNoLayer)
      name += " " + std::to_string(s.layer);
    const uint64_t begin = clock.begin(s.startCycle), end = std::max(begin, clock.end(s.endCycle));
    events.push_back(
        span(process, threads[s.engine], name, microseconds(base + begin), microseconds(end - begin), std::move(args)));
  }
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump();
}

} // namespace avocet::sim
