//===- Trace.cpp - Spans in time, as a Chrome trace -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Trace.h"

#include "avocet/base/TraceRequest.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/core.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <sys/syscall.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace avocet {
namespace {

/// A span that belongs to a request, at its place in the file. Times in nanoseconds.
struct RequestSpan {
  std::string_view request;
  uint32_t pid = 0;
  uint32_t tid = 0;
  int64_t start = 0;
  int64_t end = 0;
};

/// The spans that the arrows of each request go through, in order of time: at least two, and none that lies within
/// another one of its request and track. Viewers bind an arrow to a moment within a span, so spans without a duration
/// have none.
std::vector<std::vector<RequestSpan>> flowsOf(std::vector<RequestSpan> spans) {
  std::erase_if(spans, [](const RequestSpan &span) { return span.end <= span.start; });
  std::ranges::sort(spans, {}, [](const RequestSpan &span) {
    return std::tuple(span.request, span.start, -span.end, span.pid, span.tid);
  });
  std::vector<std::vector<RequestSpan>> flows;
  // By track: the latest end of a span of the flow. Spans come by their start, so one that ends before it is inside
  // another. A client may give all its calls one number: comparing all pairs would take hours.
  std::map<std::pair<decltype(RequestSpan::pid), decltype(RequestSpan::tid)>, decltype(RequestSpan::end)> ends;
  for (const RequestSpan &span : spans) {
    if (flows.empty() || flows.back().front().request != span.request) {
      flows.emplace_back();
      ends.clear();
    }
    const auto [latest, isFirst] = ends.try_emplace({span.pid, span.tid}, span.end);
    if (!isFirst && latest->second >= span.end)
      continue;
    latest->second = span.end;
    flows.back().push_back(span);
  }
  std::erase_if(flows, [](const std::vector<RequestSpan> &flow) { return flow.size() < 2; });
  return flows;
}

std::atomic<Trace *> activeTrace{nullptr};

int64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

using Json = nlohmann::json;

/// An event on its way into the file. Times are whole nanoseconds, so that neighbors do not overlap by rounding.
struct Slice {
  const TraceEvent *event;
  TraceInterval time;
  size_t order; ///< in which it was added
  uint32_t tid = 0;
};

int64_t toNanoseconds(double microseconds) { return std::llround(microseconds * 1e3); }
double toMicroseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

uint32_t pidOf(const TraceEvent &event) { return static_cast<uint32_t>(event.clock); }

/// By clock, track and time; a span before those that it contains.
std::vector<Slice> sortedSlices(const std::deque<TraceEvent> &events) {
  std::vector<Slice> slices;
  for (const TraceEvent &event : events)
    slices.push_back(
        {&event, {toNanoseconds(event.start), toNanoseconds(event.start + event.duration)}, slices.size()});
  std::ranges::sort(slices, {}, [](const Slice &slice) {
    return std::tuple(slice.event->clock, std::string_view(slice.event->track), slice.time.start, -slice.time.end,
                      slice.order);
  });
  return slices;
}

Json metadata(const char *what, uint32_t pid, uint32_t tid, const char *key, Json value) {
  return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{key, std::move(value)}}}};
}

/// Numbers the lanes of one track's slices on from `next`, which is also their place on the screen.
void placeTrack(std::span<Slice> slices, uint32_t &next, Json &list) {
  const TraceEvent &first = *slices.front().event;
  std::vector<TraceInterval> times;
  for (const Slice &slice : slices)
    times.push_back(slice.time);
  const Nesting nesting = first.clock == TraceClock::Host ? Nesting::Allowed : Nesting::Refused;
  const std::vector<uint32_t> lanes = assignLanes(times, nesting);
  for (size_t i = 0; i < slices.size(); ++i)
    slices[i].tid = next + lanes[i];
  const uint32_t numLanes = std::ranges::max(lanes) + 1;
  for (uint32_t lane = 0; lane < numLanes; ++lane, ++next) {
    const std::string name = lane == 0 ? first.track : fmt::format("{} ({})", first.track, lane + 1);
    list.push_back(metadata("thread_name", pidOf(first), next, "name", name));
    list.push_back(metadata("thread_sort_index", pidOf(first), next, "sort_index", next));
  }
}

void placeTracks(std::vector<Slice> &slices, Json &list) {
  uint32_t next = 1;
  for (size_t begin = 0, end = 0; begin < slices.size(); begin = end) {
    const TraceEvent &first = *slices[begin].event;
    while (end < slices.size() && slices[end].event->clock == first.clock && slices[end].event->track == first.track)
      ++end;
    placeTrack(std::span(slices).subspan(begin, end - begin), next, list);
  }
}

/// Whole numbers are written as numbers, which viewers can sum up.
Json argumentJson(const std::string &text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  return isNumber ? Json(number) : Json(text);
}

Json sliceJson(const Slice &slice) {
  const TraceEvent &event = *slice.event;
  Json json = {{"ph", "X"},
               {"cat", event.clock == TraceClock::Host ? "host" : "device"},
               {"name", event.name},
               {"pid", pidOf(event)},
               {"tid", slice.tid},
               {"ts", toMicroseconds(slice.time.start)},
               {"dur", toMicroseconds(slice.time.end - slice.time.start)}};
  for (const auto &[key, value] : event.arguments)
    json["args"][key] = argumentJson(value);
  return json;
}

std::string_view requestOf(const TraceEvent &event) {
  for (const auto &[key, value] : event.arguments)
    if (key == kTraceRequestKey)
      return value;
  return {};
}

/// One flow for each request: it begins in the first span of the request, goes on in the others and ends in the last.
void addFlows(const std::vector<Slice> &slices, Json &list) {
  std::vector<RequestSpan> spans;
  for (const Slice &slice : slices)
    if (const std::string_view request = requestOf(*slice.event); !request.empty())
      spans.push_back({request, pidOf(*slice.event), slice.tid, slice.time.start, slice.time.end});
  uint64_t id = 0;
  for (const std::vector<RequestSpan> &flow : flowsOf(std::move(spans))) {
    ++id;
    for (const RequestSpan &span : flow) {
      const char *phase = &span == &flow.front() ? "s" : &span == &flow.back() ? "f" : "t";
      list.push_back({{"ph", phase},
                      {"cat", kTraceRequestKey},
                      {"name", kTraceRequestKey},
                      {"id", id},
                      {"pid", span.pid},
                      {"tid", span.tid},
                      {"ts", toMicroseconds(span.start)},
                      {"bp", "e"}});
    }
  }
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
  Json list = Json::array();
  for (auto [clock, name] : {std::pair(TraceClock::Host, "host"), {TraceClock::Device, "device (simulated time)"}}) {
    const auto pid = static_cast<uint32_t>(clock);
    list.push_back(metadata("process_name", pid, 0, "name", name));
    list.push_back(metadata("process_sort_index", pid, 0, "sort_index", pid));
  }
  std::vector<Slice> slices = sortedSlices(events_);
  placeTracks(slices, list);
  // Viewers take events of equal times in their order in the file.
  std::ranges::sort(slices, {}, [](const Slice &slice) {
    return std::tuple(slice.event->clock, slice.time.start, -slice.time.end, slice.order);
  });
  for (const Slice &slice : slices)
    list.push_back(sliceJson(slice));
  addFlows(slices, list);
  Json root = {{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  return root.dump(1, ' ', false, Json::error_handler_t::replace);
}

void Trace::activate(Trace *trace) { activeTrace.store(trace, std::memory_order_release); }

Trace *Trace::active() { return activeTrace.load(std::memory_order_acquire); }

void TraceSpan::begin(std::string_view name) {
  name_ = name;
  start_ = trace_->now();
}

void TraceSpan::end() {
  std::string track = fmt::format("thread {}", ::syscall(SYS_gettid));
  TraceEvent event{TraceClock::Host, std::move(track), std::move(name_), start_, trace_->now() - start_, {}};
  if (const TraceRequest request = currentTraceRequest(); request != 0)
    event.arguments.emplace_back(kTraceRequestKey, traceRequestName(request));
  trace_->add(std::move(event));
}

namespace {

/// The ends of the intervals of one lane that have not ended yet, the innermost last.
using Lane = std::vector<int64_t>;

bool hasRoom(Lane &lane, const TraceInterval &interval, Nesting nesting) {
  while (!lane.empty() && lane.back() <= interval.start)
    lane.pop_back();
  return lane.empty() || (nesting == Nesting::Allowed && interval.end <= lane.back());
}

} // namespace

std::vector<uint32_t> assignLanes(std::span<const TraceInterval> intervals, Nesting nesting) {
  std::vector<Lane> lanes;
  std::vector<uint32_t> assigned;
  assigned.reserve(intervals.size());
  for (const TraceInterval &interval : intervals) {
    uint32_t lane = 0;
    while (lane < lanes.size() && !hasRoom(lanes[lane], interval, nesting))
      ++lane;
    if (lane == lanes.size())
      lanes.emplace_back();
    lanes[lane].push_back(interval.end);
    assigned.push_back(lane);
  }
  return assigned;
}

} // namespace avocet
