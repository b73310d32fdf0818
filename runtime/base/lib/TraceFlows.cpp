//===- TraceFlows.cpp - Arrows between the spans of a request -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFlows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace avocet {
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

} // namespace avocet
