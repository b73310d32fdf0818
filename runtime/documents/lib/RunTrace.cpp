//===- RunTrace.cpp - The trace of one run for Perfetto -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/RunTrace.h"

#include "avocet/analysis/SemaphoreOrder.h"
#include "avocet/base/Trace.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/firmware_iface/Names.h"
#include "avocet/firmware_iface/Reflection.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace avocet::documents {
namespace {

using Json = nlohmann::json;

constexpr auto kDevice = static_cast<uint32_t>(TraceClock::Device);
constexpr uint32_t kJobTrack = 0;

/// A command on its track.
struct Slice {
  const firmware::CommandSpan *span;
  TraceInterval time;
  uint32_t tid = 0;
};

double toMicroseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

std::string_view operationName(const firmware::CommandSpan &span) {
  const auto &names = firmware::kOperationNames;
  return span.operation < names.size() ? names[span.operation] : "unknown";
}

class DeviceEvents {
public:
  DeviceEvents(const analysis::TracedJob &job, int64_t origin, Json &list) : job_(job), origin_(origin), list_(list) {}

  void add() {
    addJob();
    placeSlices();
    for (const Slice &slice : slices_)
      addSlice(slice);
    addFirstFlows();
    addSignalFlows();
    if (!job_.profile().layers.empty())
      addCounters();
  }

  /// From a span of the host to the job.
  void addHostFlow(const Json &span) {
    addFlow("submit", {span["pid"], span["tid"], span["ts"]}, {kDevice, kJobTrack, toMicroseconds(origin_)});
  }

private:
  struct Point {
    uint32_t pid, tid;
    double time;
  };

  int64_t timeOf(uint64_t cycle) const { return origin_ + std::llround(job_.target().nanoseconds(cycle)); }
  Point startOf(const Slice &slice) const { return {kDevice, slice.tid, toMicroseconds(slice.time.start)}; }

  void addMetadata(const char *what, uint32_t tid, const char *key, Json value) {
    list_.push_back({{"ph", "M"}, {"name", what}, {"pid", kDevice}, {"tid", tid}, {"args", {{key, std::move(value)}}}});
  }

  void nameTrack(uint32_t tid, const std::string &name) {
    addMetadata("thread_name", tid, "name", name);
    addMetadata("thread_sort_index", tid, "sort_index", tid);
  }

  void addFlow(const char *name, const Point &from, const Point &to) {
    const uint64_t id = ++numFlows_;
    Json begin = {{"ph", "s"}, {"cat", "flow"}, {"name", name}, {"id", id}};
    Json end = begin;
    for (auto &[json, point] : {std::pair(&begin, &from), {&end, &to}}) {
      (*json)["pid"] = point->pid;
      (*json)["tid"] = point->tid;
      (*json)["ts"] = point->time;
    }
    end["ph"] = "f";
    end["bp"] = "e"; // binds to the span around this time, as the beginning does
    list_.push_back(std::move(begin));
    list_.push_back(std::move(end));
  }

  void addJob() {
    const firmware::JobCounters &counters = job_.profile().record.counters;
    nameTrack(kJobTrack, "0 jobs");
    list_.push_back({{"ph", "X"},
                     {"cat", "job"},
                     {"name", fmt::format("job {}", job_.model().modelName())},
                     {"pid", kDevice},
                     {"tid", kJobTrack},
                     {"ts", toMicroseconds(origin_)},
                     {"dur", toMicroseconds(timeOf(counters.cycles) - origin_)},
                     {"args",
                      {{"target", job_.target().name()},
                       {"cycles", counters.cycles},
                       {"wait_cycles", job_.profile().waitCycles()},
                       {"macs", counters.macs},
                       {"sram_bytes", counters.sramReadBytes + counters.sramWriteBytes},
                       {"dram_bytes", counters.dramReadBytes + counters.dramWriteBytes}}}});
  }

  /// Commands of an engine are pipelined, so that one begins before the one before has ended: they take turns on lanes.
  void placeSlices() {
    for (const firmware::CommandSpan &span : job_.profile().spans)
      slices_.push_back({&span, {timeOf(span.startCycle), timeOf(span.endCycle)}});
    std::ranges::sort(slices_, {}, [](const Slice &slice) {
      return std::tuple(slice.span->engine.kind, slice.span->engine.index, slice.time.start, -slice.time.end,
                        slice.span);
    });
    uint32_t next = kJobTrack + 1;
    for (size_t begin = 0, end = 0; begin < slices_.size(); begin = end) {
      const firmware::Engine engine = slices_[begin].span->engine;
      while (end < slices_.size() && slices_[end].span->engine == engine)
        ++end;
      placeEngine(std::span(slices_).subspan(begin, end - begin), engine, next);
    }
  }

  void placeEngine(std::span<Slice> slices, const firmware::Engine &engine, uint32_t &next) {
    std::vector<TraceInterval> times;
    for (const Slice &slice : slices)
      times.push_back(slice.time);
    const std::vector<uint32_t> lanes = assignLanes(times, Nesting::Refused);
    for (size_t i = 0; i < slices.size(); ++i)
      slices[i].tid = next + lanes[i];
    std::string name = fmt::format("{} {}", static_cast<uint32_t>(engine.kind) + 1, titleOf(engine.kind));
    if (engine.kind == firmware::EngineKind::Dma)
      name += fmt::format(" {}", engine.index);
    for (uint32_t lane = 0; lane <= std::ranges::max(lanes); ++lane, ++next)
      nameTrack(next, lane == 0 ? name : fmt::format("{} ({})", name, lane + 1));
  }

  void addSlice(const Slice &slice) {
    const firmware::CommandSpan &span = *slice.span;
    std::string name(operationName(span));
    Json arguments = {
        {"command", span.command}, {"start_cycle", span.startCycle}, {"cycles", span.endCycle - span.startCycle}};
    if (span.layer < layers_.size()) {
      name += " " + layers_[span.layer];
      arguments["layer"] = span.layer;
    }
    list_.push_back({{"ph", "X"},
                     {"cat", operationName(span)},
                     {"name", std::move(name)},
                     {"pid", kDevice},
                     {"tid", slice.tid},
                     {"ts", toMicroseconds(slice.time.start)},
                     {"dur", toMicroseconds(slice.time.end - slice.time.start)},
                     {"args", std::move(arguments)}});
  }

  /// Slices of an engine are neighbors. A span without a duration could not hold the end of a flow.
  void addFirstFlows() {
    const Slice *last = nullptr;
    for (const Slice &slice : slices_) {
      if ((last != nullptr && last->span->engine == slice.span->engine) || slice.time.end == slice.time.start)
        continue;
      addFlow("start", {kDevice, kJobTrack, toMicroseconds(origin_)}, startOf(slice));
      last = &slice;
    }
  }

  /// From the command that the signal of a wait waited for, just before its end, to the wait.
  void addSignalFlows() {
    const analysis::CommandTimes times = analysis::CommandTimes::from(job_.streams(), job_.profile());
    const analysis::SemaphoreOrder order(job_.streams(), &times);
    std::map<std::pair<uint32_t, analysis::CommandPlace>, const Slice *> slices; // by run of a section
    for (const Slice &slice : slices_)
      if (const auto place = job_.streams().placeOf(*slice.span, job_.profile()))
        slices[{slice.span->run, *place}] = &slice;
    for (const auto &[place, slice] : slices) {
      const auto signal = order.signalOf(place.second);
      const auto work = signal ? order.workBefore(*signal) : std::nullopt;
      const auto source = work ? slices.find({place.first, *work}) : slices.end();
      if (source != slices.end())
        addSignalFlow(*source->second, *slice);
    }
  }

  void addSignalFlow(const Slice &source, const Slice &wait) {
    if (source.time.end == source.time.start)
      return;
    const int64_t begin = source.time.end - 1, end = std::max(begin, wait.time.start);
    if (end < wait.time.end)
      addFlow("signal", {kDevice, source.tid, toMicroseconds(begin)}, {kDevice, wait.tid, toMicroseconds(end)});
  }

  void addCounters() {
    std::vector<analysis::TraceCounter> counters = analysis::trafficCounters(job_);
    counters.insert(counters.begin(), analysis::sramCounter(job_));
    for (const analysis::TraceCounter &counter : counters)
      for (const analysis::CounterSample &sample : counter.samples)
        list_.push_back({{"ph", "C"},
                         {"cat", "counter"},
                         {"name", counter.name},
                         {"pid", kDevice},
                         {"tid", kJobTrack},
                         {"ts", toMicroseconds(timeOf(sample.cycle))},
                         {"args", {{counter.unit, sample.value}}}});
  }

  const analysis::TracedJob &job_;
  const int64_t origin_; ///< nanoseconds of the host, of the job's cycle 0
  Json &list_;
  std::vector<Slice> slices_;
  const std::vector<std::string> layers_ = cache::layerNames(job_.model(), cache::kTraceNameWidth);
  uint64_t numFlows_ = 0;
};

/// The first span called "run" that began at this time or later; null if there is none.
Json runSpan(const Json &events, double submitted) {
  constexpr double kRounding = 0.001;
  for (const Json &event : events)
    if (event["ph"] == "X" && event["name"] == "run" && event["ts"].get<double>() + kRounding >= submitted)
      return event;
  return nullptr;
}

} // namespace

std::string runTrace(const Trace &host, double submitted, const analysis::TracedJob &job) {
  Json root = Json::parse(host.toJson());
  Json &list = root["traceEvents"];
  const Json span = runSpan(list, submitted);
  const double start = span.is_null() ? submitted : span["ts"].get<double>();
  DeviceEvents events(job, std::llround(start * 1e3), list);
  events.add();
  if (!span.is_null())
    events.addHostFlow(span);
  return root.dump(1, ' ', false, Json::error_handler_t::replace);
}

} // namespace avocet::documents
