//===- Profiler.cpp - The device in the runtime's profile -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Profiler.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace avocet::ort {
namespace {

int64_t microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

} // namespace

Profiler::Profiler(const Runtime &runtime, std::shared_ptr<Shared> shared)
    : runtime_(runtime), shared_(std::move(shared)) {
  release = [](abi::Profiler *profiler) { delete of(profiler); };
  startProfiling = [](abi::Profiler *profiler, int64_t offset) {
    return of(profiler)->runtime_.guarded([&] {
      of(profiler)->start(offset);
      return Status::ok();
    });
  };
  endProfiling = [](abi::Profiler *profiler, abi::ProfilingEvents *events) {
    return of(profiler)->runtime_.guarded([&] { return of(profiler)->end(*events); });
  };
}

Profiler::~Profiler() {
  if (spans_ != nullptr)
    shared_->spans.close(spans_);
}

void Profiler::start(int64_t offset) {
  zero_ = DeviceSpans::Clock::now() - std::chrono::nanoseconds(offset);
  if (spans_ == nullptr)
    spans_ = shared_->spans.open();
}

Result<abi::ProfilingEvent *> Profiler::eventOf(const DeviceSpan &span) const {
  const std::string name = shared_->engine->deviceName() + " run";
  std::vector<const char *> keys;
  std::vector<std::string> texts;
  const auto add = [&](const char *key, const hal::OptionalDuration &time) {
    if (time) {
      keys.push_back(key);
      texts.push_back(fmt::format("{:.3f}", static_cast<double>(time->count()) / 1e3));
    }
  };
  add("device_us", span.timing.timeOnDevice);
  add("driver_us", span.timing.timeInDriver);
  std::vector<const char *> values;
  for (const std::string &text : texts)
    values.push_back(text.c_str());
  abi::ProfilingEvent *event = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime_.callEp<abi::CreateProfilingEvent>(
      abi::EventCategory::Kernel, static_cast<int32_t>(::getpid()), span.thread, name.c_str(),
      std::max<int64_t>(microseconds(span.start - zero_), 0), microseconds(span.end - span.start), keys.data(),
      values.data(), keys.size(), &event));
  return event;
}

Status Profiler::end(abi::ProfilingEvents &events) {
  if (spans_ == nullptr)
    return Status::ok();
  for (const DeviceSpan &span : shared_->spans.close(std::exchange(spans_, nullptr))) {
    AVOCET_ASSIGN_OR_RETURN(abi::ProfilingEvent * event, eventOf(span));
    const abi::ProfilingEvent *const added = event;
    const Status status = runtime_.callEp<abi::AddProfilingEvents>(&events, &added, size_t{1});
    runtime_.getEp<abi::ReleaseProfilingEvent>(event);
    AVOCET_RETURN_IF_ERROR(status);
  }
  return Status::ok();
}

} // namespace avocet::ort
