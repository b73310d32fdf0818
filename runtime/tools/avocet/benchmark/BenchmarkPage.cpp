//===- BenchmarkPage.cpp - A benchmark as an HTML page --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchmarkReport.h"

#include "Requirement.h"
#include "avocet/base/EmbeddedFile.h"
#include "avocet/base/NumberText.h"
#include "output/TextTable.h"
#include "report/Html.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace avocet::tool {

/// Generated: the files of page/, and the style that it shares.
std::span<const EmbeddedFile> benchmarkPageFiles();

namespace {

std::string fileText(std::string_view name) {
  const auto files = benchmarkPageFiles();
  return std::string(std::ranges::find(files, name, &EmbeddedFile::name)->text);
}

std::string timeCell(const std::vector<double> &values, double Distribution::*figure) {
  return values.empty() ? "" : msText(distributionOf(values).*figure);
}

std::string ratioText(const std::optional<double> &ratio) { return ratio ? fmt::format("{:.2f}", *ratio) : ""; }

std::string summary(const std::vector<NetworkResult> &networks) {
  if (networks.empty())
    return "";
  HtmlTable table("Medians; 'tolerated' is against the goldens, without them against the CPU",
                  {"network", "device", "#host ms", "#over CPU", "#device ms", "#speed-up", "#tolerated", "#top-1"});
  for (const NetworkResult &network : networks)
    for (const DeviceResult &device : network.devices) {
      const Agreement &best = bestAgreement(device);
      table.addRow({network.name, device.name, timeCell(device.hostMs, &Distribution::p50),
                    ratioText(distributionOf(device.hostRatio).p50), timeCell(device.deviceMs, &Distribution::p50),
                    ratioText(device.speedUp), best.cases == 0 ? "" : percentText(leastInside(best)),
                    device.labels ? percentText(device.labels->top1()) : ""});
    }
  HtmlTable means("Geometric means over the networks", {"device", "#networks", "#host time over CPU", "#speed-up"});
  for (const DeviceMean &mean : deviceMeans(networks))
    means.addRow({mean.name, std::to_string(mean.networks), ratioText(mean.hostRatio), ratioText(mean.speedUp)});
  return "<section>\n<h2>All networks</h2>\n" + table.toString() + means.toString() + "</section>\n";
}

void addTimeRow(HtmlTable &table, const std::string &device, std::string_view what, const std::vector<double> &values) {
  if (values.empty())
    return;
  const Distribution each = distributionOf(values);
  table.addRow({device, std::string(what), withCommas(each.count), msText(each.least), msText(each.p50),
                msText(each.p90), msText(each.p99), msText(each.most), msText(each.mean)});
}

std::string timeTable(const NetworkResult &network) {
  HtmlTable table("Times in milliseconds",
                  {"device", "time", "#count", "#least", "#p50", "#p90", "#p99", "#most", "#mean"});
  for (const DeviceResult &device : network.devices) {
    addTimeRow(table, device.name, "a call, on the host", device.hostMs);
    addTimeRow(table, device.name, "a run, on the device", device.deviceMs);
    addTimeRow(table, device.name, "compilation", device.prepareMs);
    addTimeRow(table, device.name, "preparation from cache files", device.warmStartMs);
  }
  return table.toString();
}

std::string deviceTable(const NetworkResult &network) {
  HtmlTable table("Devices; figures of the simulator for the schedule of the target",
                  {"device", "reached", "#cycles", "#over the roofline", "#energy", "#SRAM peak", "#off-chip traffic",
                   "#constants", "#scratch"});
  for (const DeviceResult &device : network.devices) {
    std::vector<std::string> cells = {device.name, device.way};
    if (const auto &figures = device.simulated) {
      const double over = figures->rooflineCycles == 0
                              ? 0
                              : static_cast<double>(figures->cycles) / static_cast<double>(figures->rooflineCycles);
      for (std::string &cell : std::vector<std::string>{
               withCommas(figures->cycles), fmt::format("{:.2f}", over), formatEnergy(figures->energyPicojoules),
               formatBytes(figures->sramPeakBytes), formatBytes(figures->offChipBytes),
               formatBytes(figures->constantBytes), formatBytes(figures->scratchBytes)})
        cells.push_back(std::move(cell));
    }
    cells.resize(9);
    table.addRow(cells);
  }
  return table.toString();
}

std::string psnrCell(const OutputError &error) {
  if (const auto psnr = error.psnr())
    return fmt::format("{:.1f}", *psnr);
  return error.meanSquare() == 0 && error.notFinite() == 0 ? "exact" : "";
}

void addErrors(HtmlTable &table, const NetworkResult &network, const DeviceResult &device, std::string_view against,
               const Agreement &agreement) {
  for (size_t i = 0; i < agreement.outputs.size(); ++i) {
    const OutputError &error = agreement.outputs[i];
    const auto cases = static_cast<double>(error.cases());
    table.addRow({device.name, std::string(against), network.outputNames[i], withCommas(error.cases()),
                  percentText(static_cast<double>(error.equalCases()) / cases), percentText(error.inside()),
                  percentText(static_cast<double>(error.sameLargest()) / cases),
                  fmt::format("{:.3g}", error.maxError()), fmt::format("{:.3g}", error.meanSquare()),
                  fmt::format("{:.3g}", error.bias()), psnrCell(error), fmt::format("{:.6f}", error.cosine()),
                  withCommas(error.notFinite())});
  }
}

std::string accuracyTable(const NetworkResult &network) {
  HtmlTable table("Outputs; 'tolerated' are values within the tolerance of NNAPI's tests",
                  {"device", "against", "output", "#cases", "#same bits", "#tolerated", "#same largest", "#max error",
                   "#mean square", "#bias", "#PSNR dB", "#cosine", "#not finite"});
  for (const DeviceResult &device : network.devices) {
    addErrors(table, network, device, "golden", device.golden);
    addErrors(table, network, device, "CPU", device.reference);
  }
  return table.toString();
}

std::string section(const NetworkResult &network) {
  return fmt::format("<section>\n<h2>{}</h2>\n<p><code>{}</code>; {} cases: {}</p>\n", escapeHtml(network.name),
                     escapeHtml(network.path), withCommas(network.cases), escapeHtml(network.source)) +
         latencyPicture(network) + timeTable(network) + deviceTable(network) + accuracyTable(network) +
         labelPictures(network) + "</section>\n";
}

std::string intro(const BenchmarkReport &report) {
  std::string text =
      "<p>Each network ran through the NN HAL on each device in turns, and on NNAPI's CPU device. Times of a call are "
      "those of this host, which simulates the device; times on the device are simulated. A ratio is the median of the "
      "ratios of rounds. The speed-up is the CPU's median time over the median time on the device.</p>\n";
  for (const auto *messages : {&report.problems, &report.broken})
    for (const std::string &message : *messages)
      text += "<p class=\"problem\">" + escapeHtml(message) + "</p>\n";
  return text;
}

} // namespace

std::string benchmarkPage(const BenchmarkReport &report) {
  std::string sections;
  for (const NetworkResult &network : report.networks)
    sections += section(network);
  return fillPage(fileText("page.html"), {{"STYLE", fileText("tables.css") + fileText("page.css")},
                                          {"INTRO", intro(report)},
                                          {"SUMMARY", summary(report.networks)},
                                          {"SECTIONS", std::move(sections)}});
}

} // namespace avocet::tool
