//===- TraceTest.cpp - Traces, knobs and log levels -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Trace.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/Terminal.h"

#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace avocet {
namespace {

TEST(TraceTest, SpansBecomeEvents) {
  Trace trace;
  Trace::activate(&trace);
  {
    TraceSpan span("work \"quoted\"");
  }
  Trace::activate(nullptr);
  {
    TraceSpan ignored("not traced");
  }
  trace.add({TraceClock::Device, "MAC", "conv", 1.5, 2.5, {{"layer", "3"}}});
  ASSERT_EQ(trace.size(), 2u);
  nlohmann::json json = nlohmann::json::parse(trace.toJson());
  std::vector<nlohmann::json> spans;
  for (const auto &event : json["traceEvents"]) {
    if (event["ph"] == "X")
      spans.push_back(event);
  }
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0]["name"], "work \"quoted\"");
  EXPECT_EQ(spans[1]["pid"], 2);
  EXPECT_EQ(spans[1]["ts"], 1.5);
  EXPECT_EQ(spans[1]["dur"], 2.5);
  EXPECT_EQ(spans[1]["args"]["layer"], 3);
}

TEST(TraceTest, OverlappingSpansGetTracksOfTheirOwn) {
  Trace trace;
  for (auto [start, duration] : {std::pair(0.0, 4.0), {1.0, 2.0}, {2.0, 5.0}})
    for (auto clock : {TraceClock::Host, TraceClock::Device})
      trace.add({clock, "t", fmt::format("{}", start), start, duration, {}});
  const nlohmann::json json = nlohmann::json::parse(trace.toJson());
  std::map<std::pair<int, std::string>, std::string> tracks; // by process and span
  std::map<int, std::string> names;
  for (const auto &event : json["traceEvents"])
    if (event["name"] == "thread_name")
      names[event["tid"]] = event["args"]["name"];
    else if (event["ph"] == "X")
      tracks[{event["pid"], event["name"]}] = names[event["tid"]];
  // Calls of a thread contain one another, commands of an engine do not.
  EXPECT_EQ(tracks, (decltype(tracks){{{1, "0"}, "t"},
                                      {{1, "1"}, "t"},
                                      {{1, "2"}, "t (2)"},
                                      {{2, "0"}, "t"},
                                      {{2, "1"}, "t (2)"},
                                      {{2, "2"}, "t (3)"}}));
}

TEST(TraceTest, LanesAreUsedAgain) {
  const TraceInterval intervals[] = {{0, 4}, {1, 6}, {4, 5}, {5, 5}, {6, 7}};
  EXPECT_EQ(assignLanes(intervals, Nesting::Refused), (std::vector<uint32_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(assignLanes(intervals, Nesting::Allowed), (std::vector<uint32_t>{0, 1, 0, 0, 0}));
}

TEST(TerminalTest, VariableSetsTheWidth) {
  ::setenv("COLUMNS", "123", 1);
  EXPECT_EQ(outputColumns(STDOUT_FILENO), 123u);
  ::setenv("COLUMNS", "3", 1);
  EXPECT_EQ(outputColumns(STDOUT_FILENO), kLeastColumns);
  ::setenv("COLUMNS", "wide", 1);
  const int pipe = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(outputColumns(pipe), kDefaultColumns);
  ::unsetenv("COLUMNS");
  EXPECT_EQ(outputColumns(pipe), kDefaultColumns);
  EXPECT_FALSE(hasColors(pipe));
  ::setenv("AVOCET_COLOR", "on", 1);
  EXPECT_TRUE(hasColors(pipe));
  ::unsetenv("AVOCET_COLOR");
  ::close(pipe);
}

TEST(TraceTest, KeepsTheLatestSpans) {
  Trace trace(2);
  for (auto name : {"first", "second", "third"})
    trace.add({TraceClock::Host, "track", name, 0, 1, {}});
  EXPECT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace.toJson().find("first"), std::string::npos);
  EXPECT_NE(trace.toJson().find("third"), std::string::npos);
}

TEST(KnobsTest, EnvironmentOverridesDefault) {
  ::unsetenv("AVOCET_TARGET");
  EXPECT_EQ(knobText(knobs::kTarget), knobs::kTarget.defaultValue);
  ::setenv("AVOCET_TARGET", "m512", 1);
  EXPECT_EQ(knobText(knobs::kTarget), "m512");
  ::setenv("AVOCET_TARGET", "", 1);
  EXPECT_EQ(knobText(knobs::kTarget), knobs::kTarget.defaultValue);
  ::unsetenv("AVOCET_TARGET");
}

TEST(KnobsTest, SwitchesHaveThreeStates) {
  ::setenv("AVOCET_COLOR", "on", 1);
  EXPECT_TRUE(knobSwitch(knobs::kColor, false));
  ::setenv("AVOCET_COLOR", "off", 1);
  EXPECT_FALSE(knobSwitch(knobs::kColor, true));
  ::setenv("AVOCET_COLOR", "auto", 1);
  EXPECT_TRUE(knobSwitch(knobs::kColor, true));
  EXPECT_FALSE(knobSwitch(knobs::kColor, false));
  ::unsetenv("AVOCET_COLOR");
}

TEST(KnobsTest, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const Knob &knob : allKnobs()) {
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    EXPECT_TRUE(knob.name.starts_with("AVOCET_")) << knob.name;
    EXPECT_FALSE(knob.meaning.empty()) << knob.name;
  }
}

TEST(LogTest, LevelsFilter) {
  LogLevel level = LogLevel::Off;
  EXPECT_TRUE(parseLogLevel("debug", level));
  EXPECT_EQ(level, LogLevel::Debug);
  EXPECT_FALSE(parseLogLevel("loud", level));
  setLogLevel(LogLevel::Warning);
  EXPECT_TRUE(isLogged(LogLevel::Error));
  EXPECT_FALSE(isLogged(LogLevel::Info));
  setLogLevel(LogLevel::Off);
  EXPECT_FALSE(isLogged(LogLevel::Error));
  EXPECT_FALSE(isLogged(LogLevel::Off));
}

} // namespace
} // namespace avocet
