//===- ReportTest.cpp - Reports as tables and as JSON -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/RunJson.h"
#include "layers/ReportCsv.h"
#include "layers/ReportTable.h"
#include "output/TextTable.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// One layer on one device, without other jobs.
analysis::Report plainReport() {
  analysis::Report report;
  report.model = "net";
  report.target = "e256";
  report.backend = "sim";
  report.clockHz = 500'000'000;
  report.total.cycles = 1000;
  report.total.rooflineCycles = 800;
  report.predictedCycles = 900;
  report.runs = 1;
  report.layers = {{"conv", "CONV_2D", firmware::EngineKind::Mac, 0, report.total}};
  return report;
}

/// Lines are not wrapped, so that tests can search for parts of them.
class ReportTest : public testing::Test {
protected:
  void SetUp() override { setTableWidth(kAnyWidth); }
  void TearDown() override { setTableWidth(0); }
};

TEST_F(ReportTest, CostOfOtherJobsIsShownUnlessZero) {
  analysis::Report report = plainReport();
  EXPECT_THAT(renderTable(report), Not(HasSubstr("preempted")));
  EXPECT_THAT(renderTable(report), Not(HasSubstr("waited")));
  nlohmann::json json = nlohmann::json::parse(documents::runJson(report));
  EXPECT_FALSE(json.contains("preemption"));
  EXPECT_FALSE(json.contains("wait_cycles"));

  report.preemption = {2, 34567, 8192, 4096};
  report.waitCycles = 1234;
  EXPECT_THAT(renderTable(report), HasSubstr("waited     1,234 cycles"));
  EXPECT_THAT(renderTable(report), HasSubstr("preempted  2 times, for 34,567 cycles; 4.0 KiB of 8.0 KiB"));
  json = nlohmann::json::parse(documents::runJson(report));
  EXPECT_EQ(json["wait_cycles"], 1234);
  EXPECT_EQ(json["preemption"]["preemptions"], 2);
  EXPECT_EQ(json["preemption"]["suspended_cycles"], 34567);
  EXPECT_EQ(json["preemption"]["live_bytes"], 8192);
  EXPECT_EQ(json["preemption"]["evacuated_bytes"], 4096);
}

TEST_F(ReportTest, TotalsTellNeededFromExecutedWork) {
  analysis::Report report = plainReport();
  report.total.macs = 2000;
  report.total.executedMacs = 3000;
  report.total.deviceCycles = 900;
  report.total.computeCycles = 300;
  report.total.leastDramBytes = 800;
  report.total.dramBytes = 4096;
  report.dram = {1024, 512, 2048, 256, 256};
  std::string text = renderTable(report);
  EXPECT_THAT(text, HasSubstr("roofline   800 cycles, set by the off-chip port: 800 B must cross the port, "
                              "computation takes 300 cycles"));
  EXPECT_THAT(text,
              HasSubstr("device     900 cycles with all limits of the device, 1.12 times the roofline; the schedule "
                        "takes 1.11 times as many"));
  EXPECT_THAT(text, HasSubstr("executed   3.0 k MACs, 2.0 k needed"));
  EXPECT_THAT(text, HasSubstr("off chip   4.0 KiB: weights 1.0 KiB, refetched 512 B, spills 2.0 KiB, inputs 256 B, "
                              "outputs 256 B"));
  report.total.computeCycles = 800;
  EXPECT_THAT(renderTable(report), HasSubstr("set by computation"));
}

TEST_F(ReportTest, BinaryPrefixesTellBytesFromCounts) {
  analysis::Report report = plainReport();
  report.layers[0].figures.macs = 12'500;
  report.layers[0].figures.sramBytes = 12'800;
  EXPECT_THAT(renderTable(report), HasSubstr("12.5 k "));
  EXPECT_THAT(renderTable(report), HasSubstr("12.5 KiB "));
}

TEST_F(ReportTest, ChannelsShareTheTimeOfTheirEngine) {
  analysis::Report report = plainReport();
  report.engines = {{firmware::EngineKind::Dma, 700, {}, 2}};
  EXPECT_THAT(renderTable(report), HasSubstr("35.0%"));
  EXPECT_EQ(nlohmann::json::parse(documents::runJson(report))["engines"][0]["units"], 2);
}

TEST_F(ReportTest, ColumnsWithoutMeasurementsAreOmitted) {
  analysis::Report report = plainReport();
  EXPECT_THAT(renderTable(report), HasSubstr("util"));
  report.measured = false;
  EXPECT_THAT(renderTable(report), Not(HasSubstr("util")));
  EXPECT_THAT(renderTable(report), HasSubstr("roofline"));
  EXPECT_THAT(renderTable(report), HasSubstr("not counted"));
}

TEST_F(ReportTest, CsvHasALineForEachLayer) {
  analysis::Report report = plainReport();
  report.layers.push_back(report.layers[0]);
  report.layers[1].name = "a,\"b\"";
  const std::string text = renderCsv(report);
  EXPECT_THAT(text, StartsWith("name,operation,engine,cycles,"));
  EXPECT_THAT(text, HasSubstr(",stall_cycles_semaphore,"));
  EXPECT_THAT(text, HasSubstr("\r\nconv,CONV_2D,mac,1000,800,"));
  EXPECT_THAT(text, HasSubstr("\r\n\"a,\"\"b\"\"\",CONV_2D,mac,1000,"));
  EXPECT_THAT(text, HasSubstr("\r\n(no layer),,,0,0,"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  report.layers.clear();
  EXPECT_EQ(renderCsv(report), "");
}

TEST_F(ReportTest, RowWithoutLayerCompletesTheSum) {
  analysis::Report report = plainReport();
  EXPECT_THAT(renderTable(report), Not(HasSubstr("(no layer)")));
  report.withoutLayer.cycles = 64;
  EXPECT_THAT(renderTable(report), HasSubstr("(no layer)"));
  EXPECT_EQ(nlohmann::json::parse(documents::runJson(report))["without_layer"]["cycles"], 64);
}

TEST_F(ReportTest, HiddenCyclesOfTheDspHaveAColumn) {
  analysis::Report report = plainReport();
  EXPECT_THAT(renderTable(report), Not(HasSubstr("DSP hidden")));
  report.layers[0].figures.hidden.dsp = report.total.hidden.dsp = 4321;
  EXPECT_THAT(renderTable(report), AllOf(HasSubstr("DSP hidden"), HasSubstr("4,321")));
  EXPECT_EQ(nlohmann::json::parse(documents::runJson(report))["layers"][0]["hidden_cycles"]["dsp"], 4321);
}

TEST_F(ReportTest, LayersBelowTheirBoundNameTheOverlap) {
  analysis::Report report = plainReport();
  EXPECT_THAT(renderTable(report), Not(HasSubstr("overlap")));
  analysis::Figures &figures = report.layers[0].figures;
  report.layers[0].commands = 1;
  figures.cycles = 300;
  figures.hidden.transfers = 600;
  EXPECT_THAT(renderTable(report),
              HasSubstr("overlap    less than their roofline take 1 layer (0) by transfers in cycles "
                        "of other layers"));
  figures.hidden.transfers = 0;
  EXPECT_THAT(renderTable(report), HasSubstr("1 layer (0) because other layers load their constants"));
  report.layers[0].commands = 0;
  EXPECT_THAT(renderTable(report), HasSubstr("1 layer (0) because they have no commands that ran"));
}

TEST_F(ReportTest, SpreadsAreOrdered) {
  const analysis::Spread odd = analysis::spreadOf({3, 1, 2}), one = analysis::spreadOf({7});
  EXPECT_EQ(odd.least, 1);
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.most, 3);
  EXPECT_EQ(one.least, one.most);
}

TEST_F(ReportTest, ServedRunsHaveServiceLines) {
  analysis::Report report = plainReport();
  report.measured = false;
  report.predictedMs = 0.0018;
  report.simulatedMs = 0.002;
  report.runs = 7;
  report.served = analysis::ServedFigures{"avocet-e256", "1.2.3",   "/run/a.sock", "calls",  "high", "sustained", 5,
                                          12.5,          {1, 2, 3}, {4, 5, 6},     {7, 8, 9}};
  std::string text = renderTable(report);
  EXPECT_THAT(text, HasSubstr("on device  1,000 cycles, 0.002 ms at 500 MHz; 1.25 times the roofline bound"));
  EXPECT_THAT(text, HasSubstr("predicted  900 cycles, 0.002 ms; the shortest run took 1.11 times as many"));
  EXPECT_THAT(text, HasSubstr("service    avocet-e256, version 1.2.3, at /run/a.sock; prepared in 12.5 ms"));
  EXPECT_THAT(text, HasSubstr("runs       7 by calls, priority high, preference sustained, each within 5 ms"));
  nlohmann::json service = nlohmann::json::parse(documents::runJson(report))["service"];
  EXPECT_EQ(service["deadline_ms"], 5);
  EXPECT_EQ(service["driver_ms"]["median"], 5);
  EXPECT_EQ(service["call_ms"]["most"], 9);
}

} // namespace
} // namespace avocet::tool::test
