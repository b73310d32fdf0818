//===- TraceFlows.cpp - Arrows between the spans of a request -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFlows.h"

#include <algorithm>
#include <tuple>

namespace avocet {
namespace {

bool isWithin(const RequestSpan &inner, const RequestSpan &outer) {
  return inner.pid == outer.pid && inner.tid == outer.tid && inner.start >= outer.start && inner.end <= outer.end;
}

} // namespace

std::vector<std::vector<RequestSpan>> flowsOf(std::vector<RequestSpan> spans) {
  std::erase_if(spans, [](const RequestSpan &span) { return span.end <= span.start; });
  std::ranges::sort(spans, {}, [](const RequestSpan &span) {
    return std::tuple(span.request, span.start, -span.end, span.pid, span.tid);
  });
  std::vector<std::vector<RequestSpan>> flows;
  for (const RequestSpan &span : spans) {
    if (flows.empty() || flows.back().front().request != span.request)
      flows.emplace_back();
    std::vector<RequestSpan> &flow = flows.back();
    if (std::ranges::none_of(flow, [&](const RequestSpan &outer) { return isWithin(span, outer); }))
      flow.push_back(span);
  }
  std::erase_if(flows, [](const std::vector<RequestSpan> &flow) { return flow.size() < 2; });
  return flows;
}

} // namespace avocet
