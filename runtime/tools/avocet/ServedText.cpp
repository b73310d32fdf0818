//===- ServedText.cpp - Text of a run on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedText.h"

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
  return fmt::format("on device  {} cycles, {:.3f} ms at {} MHz; {:.2f} times the roofline bound\n"
                     "predicted  {}\n",
                     withCommas(report.total.cycles), report.simulatedMs, report.clockHz / 1000000,
                     ratio(cycles, static_cast<double>(report.total.rooflineCycles)), predicted);
}

std::string deadlineText(const ServedFigures &served) {
  return served.deadlineMs > 0 ? fmt::format(", each within {} ms", served.deadlineMs) : "";
}

} // namespace

std::string servedText(const Report &report, const ServedFigures &served) {
  return fmt::format("{}\n{}"
                     "service    {}, version {}, at {}; prepared in {:.1f} ms\n"
                     "runs       {} by {}, priority {}{}\n",
                     timesTable(served), deviceLines(report), served.device, served.version, served.socket,
                     served.prepareMs, report.runs, served.way, served.priority, deadlineText(served));
}

} // namespace avocet::tool
