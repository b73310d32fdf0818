//===- ServedText.cpp - Text of a run on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedText.h"

#include "ReportTable.h"
#include "TextTable.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

std::string milliseconds(double time) { return fmt::format("{:.3f}", time); }

std::string timesTable(const ServedFigures &served) {
  TextTable table;
  table.addColumn("time in ms", Align::Left);
  for (auto title : {"least", "median", "most"})
    table.addColumn(title, Align::Right);
  auto addRow = [&](const char *name, const Spread &spread) {
    table.addRow({name, milliseconds(spread.least), milliseconds(spread.median), milliseconds(spread.most)});
  };
  addRow("on device", served.deviceMs);
  addRow("in driver", served.driverMs);
  addRow("call", served.callMs);
  return table.toString();
}

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

std::string deviceLines(const Report &report) {
  const double cycles = static_cast<double>(report.total.cycles);
  std::string predicted = report.predictedCycles == 0
                              ? "none: the compiler gave no prediction"
                              : fmt::format("{} cycles, {:.3f} ms; the shortest run took {:.2f} times as many",
                                            withCommas(report.predictedCycles), report.predictedMs,
                                            ratio(cycles, static_cast<double>(report.predictedCycles)));
  return labelledText("on device",
                      fmt::format("{} cycles, {:.3f} ms at {} MHz; {:.2f} times the roofline bound",
                                  withCommas(report.total.cycles), report.simulatedMs, report.clockHz / 1000000,
                                  ratio(cycles, static_cast<double>(report.total.rooflineCycles)))) +
         labelledText("predicted", predicted);
}

std::string deadlineText(const ServedFigures &served) {
  return served.deadlineMs > 0 ? fmt::format(", each within {} ms", served.deadlineMs) : "";
}

} // namespace

std::string servedText(const Report &report, const ServedFigures &served) {
  return timesTable(served) + "\n" + deviceLines(report) + powerText(report) +
         labelledText("service", fmt::format("{}, version {}, at {}; prepared in {:.1f} ms", served.device,
                                             served.version, served.socket, served.prepareMs)) +
         labelledText("runs", fmt::format("{} by {}, priority {}, preference {}{}", report.runs, served.way,
                                          served.priority, served.preference, deadlineText(served)));
}

} // namespace avocet::tool
