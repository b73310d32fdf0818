//===- TraceRequest.cpp - The request that a thread works on ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TraceRequest.h"

#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/Trace.h"

#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace avocet {
namespace {

thread_local TraceRequest current = 0;

TraceRequest presentOrNew() {
  if (current != 0 || Trace::active() == nullptr)
    return current;
  return traceRequest(static_cast<uint32_t>(::getpid()), newTraceNumber());
}

} // namespace

uint32_t newTraceNumber() {
  static std::atomic<uint32_t> last{0};
  uint32_t number = 0;
  while (number == 0)
    number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

TraceRequest currentTraceRequest() { return current; }

std::string traceRequestName(TraceRequest request) {
  return fmt::format("{}.{}", request >> 32, static_cast<uint32_t>(request));
}

TraceRequestScope::TraceRequestScope(TraceRequest request) : before_(std::exchange(current, request)) {}

TraceRequestScope::TraceRequestScope() : TraceRequestScope(presentOrNew()) {}

TraceRequestScope::~TraceRequestScope() { current = before_; }

namespace {

constexpr size_t kMaxSpans = 500'000; ///< about 100 MB

// Threads may still write spans when the process ends, so the trace is never destroyed.
Trace *processTrace = nullptr;
pid_t owner = 0;

void writeTrace() {
  if (getpid() != owner)
    return;
  if (Status status = writeFile(knobText(knobs::kTrace), processTrace->toJson()); !status.isOk())
    logMessage(LogLevel::Error, "trace", "{}", status.message());
}

bool start() {
  if (knobText(knobs::kTrace).empty())
    return false;
  owner = getpid();
  processTrace = new Trace(kMaxSpans);
  Trace::activate(processTrace);
  return std::atexit(writeTrace) == 0;
}

} // namespace

void startProcessTrace() {
  static const bool kIsStarted = start();
  (void)kIsStarted;
}

} // namespace avocet
