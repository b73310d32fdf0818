//===- TraceRequestTest.cpp - Flows of requests through threads -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TraceRequest.h"

#include "avocet/base/Trace.h"
#include "avocet/base/WorkerPool.h"

#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

namespace avocet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Json = nlohmann::json;

class TraceRequestTest : public ::testing::Test {
protected:
  void TearDown() override { Trace::activate(nullptr); }

  void add(const char *track, TraceClock clock, double start, double duration, const char *request) {
    trace_.add({clock, track, track, start, duration, {{"request", request}}});
  }
  /// "s 1" at the start of a flow, "t 1" on its way, "f 1" at its end, each with the time.
  std::vector<std::string> flows() const {
    std::vector<std::string> found;
    const Json whole = Json::parse(trace_.toJson());
    for (const Json &event : whole["traceEvents"])
      if (event.value("cat", "") == "request")
        found.push_back(event["ph"].get<std::string>() + " " + event["id"].dump() + " at " + event["ts"].dump());
    return found;
  }

  Trace trace_;
};

TEST_F(TraceRequestTest, FlowConnectsTracksInOrderOfTime) {
  add("device", TraceClock::Device, 5, 2, "7.1");
  add("client", TraceClock::Host, 1, 9, "7.1");
  add("queue", TraceClock::Host, 2, 1, "7.1");
  EXPECT_THAT(flows(), ElementsAre("s 1 at 1.0", "t 1 at 2.0", "f 1 at 5.0"));
}

TEST_F(TraceRequestTest, RequestsHaveSeparateFlows) {
  for (const char *request : {"7.1", "7.2"}) {
    add("a", TraceClock::Host, 1, 2, request);
    add("b", TraceClock::Host, 2, 2, request);
  }
  EXPECT_THAT(flows(), ElementsAre("s 1 at 1.0", "f 1 at 2.0", "s 2 at 1.0", "f 2 at 2.0"));
}

TEST_F(TraceRequestTest, NestedAndEmptySpansAreLeftOut) {
  add("a", TraceClock::Host, 1, 8, "7.1");
  add("a", TraceClock::Host, 2, 3, "7.1");
  add("b", TraceClock::Host, 3, 0, "7.1");
  EXPECT_THAT(flows(), IsEmpty()) << "one span is no flow";
}

TEST_F(TraceRequestTest, SpansBelongToRequestOfTheirThread) {
  Trace::activate(&trace_);
  {
    const TraceRequestScope scope(traceRequest(7, 3));
    TraceSpan span("inside");
  }
  {
    TraceSpan span("outside");
  }
  std::map<std::string, std::string> requests;
  const Json whole = Json::parse(trace_.toJson());
  for (const Json &event : whole["traceEvents"])
    if (event["ph"] == "X")
      requests[event["name"]] = event.contains("args") ? event["args"]["request"] : "none";
  EXPECT_THAT(requests, ElementsAre(Pair("inside", "7.3"), Pair("outside", "none")));
}

TEST_F(TraceRequestTest, TasksContinueRequestOfTheirPoster) {
  TraceRequest seen = 0, later = 1;
  {
    WorkerPool pool(1, 8);
    {
      const TraceRequestScope scope(traceRequest(7, 4));
      pool.post([&] { seen = currentTraceRequest(); });
    }
    pool.post([&] { later = currentTraceRequest(); });
  }
  EXPECT_EQ(seen, traceRequest(7, 4));
  EXPECT_EQ(later, 0U);
}

TEST_F(TraceRequestTest, NewRequestNeedsActiveTrace) {
  {
    const TraceRequestScope none;
    EXPECT_EQ(currentTraceRequest(), 0U);
  }
  Trace::activate(&trace_);
  const TraceRequestScope outer;
  const TraceRequest made = currentTraceRequest();
  EXPECT_EQ(made >> 32, static_cast<uint32_t>(::getpid()));
  const TraceRequestScope inner;
  EXPECT_EQ(currentTraceRequest(), made);
}

} // namespace
} // namespace avocet
