//===- BenchmarkPictures.cpp - Pictures of a benchmark's page -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchmarkReport.h"

#include "avocet/base/NumberText.h"
#include "output/Picture.h"
#include "output/TextTable.h"
#include "report/Html.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

constexpr double kWidth = 720, kLeft = 190, kRight = 24;
constexpr double kRowHeight = 46, kBarHeight = 34, kTop = 6, kAxisHeight = 36;
constexpr size_t kBins = 96;

struct Row {
  std::string name;
  const std::vector<double> *values;
};

/// Host times of all devices, then their own times.
std::vector<Row> rowsOf(const NetworkResult &network) {
  std::vector<Row> rows;
  for (const DeviceResult &device : network.devices)
    rows.push_back({device.name + ", host", &device.hostMs});
  for (const DeviceResult &device : network.devices)
    if (!device.deviceMs.empty())
      rows.push_back({device.name + ", device", &device.deviceMs});
  return rows;
}

LogScale scaleOf(const std::vector<Row> &rows) {
  double least = rows.front().values->front(), most = least;
  for (const Row &row : rows) {
    const auto [low, high] = std::ranges::minmax(*row.values);
    least = std::min(least, low);
    most = std::max(most, high);
  }
  constexpr double kSmallest = 1e-6; // a device without a model of time may report 0
  least = std::max(least, kSmallest);
  return {least, std::max(most, least), kLeft, kWidth - kRight};
}

std::string bars(const Row &row, const LogScale &scale, double bottom) {
  const double binWidth = (scale.to - scale.from) / kBins;
  std::vector<size_t> counts(kBins, 0);
  for (double value : *row.values) {
    const double place = (scale.at(std::max(value, scale.least)) - scale.from) / binWidth;
    ++counts[std::min(kBins - 1, static_cast<size_t>(std::max(place, 0.0)))];
  }
  const auto most = static_cast<double>(*std::ranges::max_element(counts));
  std::string text;
  for (size_t i = 0; i < kBins; ++i) {
    if (counts[i] == 0)
      continue;
    const double height = std::max(1.0, kBarHeight * static_cast<double>(counts[i]) / most);
    text += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">"
                        "<title>{} of {} runs</title></rect>\n",
                        scale.from + static_cast<double>(i) * binWidth, bottom - height, binWidth, height, counts[i],
                        row.values->size());
  }
  return text;
}

std::string percentileLines(const Row &row, const LogScale &scale, double bottom) {
  const Distribution each = distributionOf(*row.values);
  std::string text;
  for (auto [name, value, style] : {std::tuple("p50", each.p50, "median"), std::tuple("p90", each.p90, "tail"),
                                    std::tuple("p99", each.p99, "tail")})
    text += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"><title>{} "
                        "{} ms</title></line>\n",
                        style, scale.at(std::max(value, scale.least)), scale.at(std::max(value, scale.least)),
                        bottom - kBarHeight - 4, bottom, name, msText(value));
  return text + fmt::format("<text class=\"row\" x=\"0\" y=\"{:.1f}\">{}</text><text x=\"0\" y=\"{:.1f}\">p50 {}, p99 "
                            "{} ms</text>\n",
                            bottom - 18, escapeHtml(cutTo(row.name, 30)), bottom - 4, msText(each.p50),
                            msText(each.p99));
}

std::string axis(const LogScale &scale, double bottom) {
  std::string text;
  for (double tick : logTicks(scale.least, scale.most))
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/>"
                        "<text class=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4:.3g}</text>\n",
                        scale.at(tick), kTop, bottom, bottom + 14, tick);
  return text + fmt::format("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">ms, logarithmic</text>\n",
                            (scale.from + scale.to) / 2, bottom + 28);
}

constexpr size_t kMostClasses = 32; ///< in pictures

std::string classBars(const NetworkResult &network, const DeviceResult &device) {
  constexpr double kHeight = 120, kBottom = 100;
  const ConfusionMatrix &matrix = device.labels->matrix();
  const double width = kWidth / static_cast<double>(matrix.numClasses());
  std::string text;
  for (size_t label = 0; label < matrix.numClasses(); ++label) {
    uint64_t all = 0;
    for (size_t answer = 0; answer < matrix.numClasses(); ++answer)
      all += matrix.count(label, answer);
    const double share = all == 0 ? 0 : static_cast<double>(matrix.count(label, label)) / static_cast<double>(all);
    const double left = static_cast<double>(label) * width;
    text += fmt::format("<rect class=\"wrong\" x=\"{0:.1f}\" y=\"0\" width=\"{1:.1f}\" height=\"{2:.1f}\"/>"
                        "<rect class=\"right\" x=\"{0:.1f}\" y=\"{3:.1f}\" width=\"{1:.1f}\" height=\"{4:.1f}\">"
                        "<title>{5}: {6}</title></rect>"
                        "<text class=\"middle\" x=\"{7:.1f}\" y=\"{8}\">{5}</text>\n",
                        left + 2, width - 4, kBottom, kBottom * (1 - share), kBottom * share,
                        escapeHtml(cutTo(network.classNames[label], 10)), all == 0 ? "no cases" : percentText(share),
                        left + width / 2, kBottom + 14);
  }
  return fmt::format(
      "<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Right answers by class\">\n{}</svg>\n"
      "<figcaption>Share of right answers by class, on {}.</figcaption></figure>\n",
      kWidth, kHeight, text, escapeHtml(device.name));
}

std::string confusionRow(const ConfusionMatrix &matrix, size_t label, const std::string &name) {
  uint64_t all = 0;
  for (size_t answer = 0; answer < matrix.numClasses(); ++answer)
    all += matrix.count(label, answer);
  std::string text = "<tr><th scope=\"row\">" + escapeHtml(name) + "</th>";
  for (size_t answer = 0; answer < matrix.numClasses(); ++answer) {
    const uint64_t count = matrix.count(label, answer);
    text += count == 0
                ? std::string("<td></td>")
                : fmt::format("<td class=\"{}\" style=\"--part:{:.0f}%\">{}</td>", answer == label ? "right" : "wrong",
                              // The color of few mistakes must still be seen, and the text on it be read.
                              10 + 50 * static_cast<double>(count) / static_cast<double>(all), count);
  }
  return text + "</tr>\n";
}

std::string confusionTable(const NetworkResult &network, const DeviceResult &device) {
  const ConfusionMatrix &matrix = device.labels->matrix();
  std::string text =
      fmt::format("<table class=\"confusion\"><caption>Classes (rows) and answers (columns) on {}: {} "
                  "right, {} among the best five</caption><thead><tr><th></th>",
                  escapeHtml(device.name), percentText(device.labels->top1()), percentText(device.labels->top5()));
  for (const std::string &name : network.classNames)
    text += "<th scope=\"col\">" + escapeHtml(name) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (size_t label = 0; label < matrix.numClasses(); ++label)
    text += confusionRow(matrix, label, network.classNames[label]);
  return text + "</tbody></table>\n";
}

} // namespace

std::string latencyPicture(const NetworkResult &network) {
  const std::vector<Row> rows = rowsOf(network);
  const LogScale scale = scaleOf(rows);
  const double bottom = kTop + kRowHeight * static_cast<double>(rows.size());
  std::string text = axis(scale, bottom);
  for (size_t i = 0; i < rows.size(); ++i) {
    const double rowBottom = kTop + kRowHeight * static_cast<double>(i + 1);
    text += bars(rows[i], scale, rowBottom) + percentileLines(rows[i], scale, rowBottom);
  }
  return fmt::format("<figure><svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"Times of runs\">\n{}</svg>\n"
                     "<figcaption>How often a run took how long. Lines: the median, and the 90th and 99th "
                     "percentiles.</figcaption></figure>\n",
                     kWidth, bottom + kAxisHeight, text);
}

std::string labelPictures(const NetworkResult &network) {
  std::string text;
  for (const DeviceResult &device : network.devices) {
    if (!device.labels)
      continue;
    if (network.classNames.size() > kMostClasses)
      text += fmt::format("<p>{}: {} of {} labeled cases right, {} among the best five.</p>\n", escapeHtml(device.name),
                          percentText(device.labels->top1()), withCommas(device.labels->count()),
                          percentText(device.labels->top5()));
    else
      text += classBars(network, device) + confusionTable(network, device);
  }
  return text.empty() ? "" : "<h3>Classes</h3>\n" + text;
}

} // namespace avocet::tool
