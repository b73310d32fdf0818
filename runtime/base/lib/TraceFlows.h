//===- TraceFlows.h - Arrows between the spans of a request -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_TRACEFLOWS_H
#define AVOCET_BASE_LIB_TRACEFLOWS_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace avocet {

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
std::vector<std::vector<RequestSpan>> flowsOf(std::vector<RequestSpan> spans);

} // namespace avocet

#endif // AVOCET_BASE_LIB_TRACEFLOWS_H
