//===- Trace.cpp - Spans in time, as a Chrome trace -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Trace.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet {
namespace {

std::atomic<Trace *> activeTrace{nullptr};

int64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

using TrackKey = std::pair<uint32_t, std::string>;

/// Chrome's format numbers the tracks and names them in metadata events.
std::map<TrackKey, uint32_t> numberTracks(const std::deque<TraceEvent> &events) {
  std::map<TrackKey, uint32_t> tracks;
  for (const TraceEvent &event : events)
    tracks.emplace(TrackKey(static_cast<uint32_t>(event.clock), event.track), static_cast<uint32_t>(tracks.size()));
  return tracks;
}

nlohmann::json nameEvent(const char *what, uint32_t pid, uint32_t tid, std::string_view name) {
  return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

nlohmann::json spanEvent(const TraceEvent &event, uint32_t tid) {
  nlohmann::json json = {{"ph", "X"},  {"name", event.name}, {"pid", static_cast<uint32_t>(event.clock)},
                         {"tid", tid}, {"ts", event.start},  {"dur", event.duration}};
  for (const auto &[key, value] : event.arguments)
    json["args"][key] = value;
  return json;
}

} // namespace

Trace::Trace(size_t limit) : limit_(limit), origin_(steadyNanoseconds()) {}

void Trace::add(TraceEvent event) {
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  if (events_.size() > limit_)
    events_.pop_front();
}

size_t Trace::size() const {
  std::lock_guard lock(mutex_);
  return events_.size();
}

double Trace::now() const { return static_cast<double>(steadyNanoseconds() - origin_) / 1e3; }

std::string Trace::toJson() const {
  std::lock_guard lock(mutex_);
  nlohmann::json list = nlohmann::json::array();
  list.push_back(nameEvent("process_name", static_cast<uint32_t>(TraceClock::Host), 0, "host"));
  list.push_back(nameEvent("process_name", static_cast<uint32_t>(TraceClock::Device), 0, "device (simulated time)"));
  auto tracks = numberTracks(events_);
  for (const auto &[key, tid] : tracks)
    list.push_back(nameEvent("thread_name", key.first, tid, key.second));
  for (const TraceEvent &event : events_)
    list.push_back(spanEvent(event, tracks.at({static_cast<uint32_t>(event.clock), event.track})));
  nlohmann::json root = {{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  return root.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Trace::activate(Trace *trace) { activeTrace.store(trace, std::memory_order_release); }

Trace *Trace::active() { return activeTrace.load(std::memory_order_acquire); }

void TraceSpan::begin(std::string_view name) {
  name_ = name;
  start_ = trace_->now();
}

void TraceSpan::end() {
  std::string track = fmt::format("thread {}", ::syscall(SYS_gettid));
  trace_->add({TraceClock::Host, std::move(track), std::move(name_), start_, trace_->now() - start_, {}});
}

} // namespace avocet
