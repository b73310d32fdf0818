//===- TraceRequest.cpp - The request that a thread works on --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TraceRequest.h"

#include "avocet/base/Trace.h"

#include <atomic>
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

} // namespace avocet
