//===- Requirement.cpp - Limits of a benchmark ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requirement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace avocet::tool {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

using Value = std::optional<double>;

Value percentInside(const Agreement &agreement) {
  return agreement.cases == 0 ? Value() : 100 * leastInside(agreement);
}

Value ofBest(const DeviceResult &device, double (*figure)(const Agreement &)) {
  const Agreement &best = bestAgreement(device);
  return best.cases == 0 ? Value() : figure(best);
}

Value percentRight(const DeviceResult &device, double (LabelScore::*figure)() const) {
  return device.labels ? Value(100 * ((*device.labels).*figure)()) : Value();
}

struct Figure {
  std::string_view name;
  bool isMost; ///< the limit is the largest allowed value
  Value (*of)(const DeviceResult &);
};

constexpr std::array kFigures = {
    Figure{"top1", false, [](const DeviceResult &device) { return percentRight(device, &LabelScore::top1); }},
    Figure{"top5", false, [](const DeviceResult &device) { return percentRight(device, &LabelScore::top5); }},
    Figure{"golden", false, [](const DeviceResult &device) { return percentInside(device.golden); }},
    Figure{"cpu", false, [](const DeviceResult &device) { return percentInside(device.reference); }},
    Figure{"psnr", false, [](const DeviceResult &device) { return ofBest(device, leastPsnr); }},
    Figure{"cosine", false, [](const DeviceResult &device) { return ofBest(device, leastCosine); }},
    Figure{"max-error", true, [](const DeviceResult &device) { return ofBest(device, mostError); }},
};

const Figure *figureOf(std::string_view name) {
  const auto found = std::ranges::find(kFigures, name, &Figure::name);
  return found == kFigures.end() ? nullptr : &*found;
}

std::string figureNames() {
  std::string names;
  for (const Figure &figure : kFigures)
    names += (names.empty() ? "" : ", ") + std::string(figure.name);
  return names;
}

} // namespace

const Agreement &bestAgreement(const DeviceResult &device) {
  return device.golden.cases != 0 ? device.golden : device.reference;
}

double leastInside(const Agreement &agreement) {
  double least = 1;
  for (const OutputError &output : agreement.outputs)
    least = std::min(least, output.inside());
  return least;
}

double mostError(const Agreement &agreement) {
  double most = 0;
  for (const OutputError &output : agreement.outputs)
    most = output.notFinite() > 0 ? kInfinite : std::max(most, output.maxError());
  return most;
}

double leastCosine(const Agreement &agreement) {
  double least = 1;
  for (const OutputError &output : agreement.outputs)
    least = std::min(least, output.notFinite() > 0 ? -1 : output.cosine());
  return least;
}

double leastPsnr(const Agreement &agreement) {
  double least = kInfinite;
  for (const OutputError &output : agreement.outputs) {
    const bool isWrong = output.notFinite() > 0 || output.meanSquare() > 0;
    // Without a range there is no peak, so that any error is too large.
    least = std::min(least, output.notFinite() == 0 && output.psnr() ? *output.psnr()
                            : isWrong                                ? -kInfinite
                                                                     : kInfinite);
  }
  return least;
}

Result<Requirement> parseRequirement(const std::string &text) {
  const size_t equals = std::min(text.find('='), text.size());
  Requirement made{text.substr(0, equals), 0};
  if (figureOf(made.figure) == nullptr)
    return invalidArgument(
        fmt::format("--require {}: '{}' is no figure of a benchmark; these are {}", text, made.figure, figureNames()));
  const std::string_view limit = std::string_view(text).substr(std::min(equals + 1, text.size()));
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), made.limit);
  if (error != std::errc() || end != limit.data() + limit.size() || !std::isfinite(made.limit))
    return invalidArgument(fmt::format("--require {}: must be a figure, '=', and a number, such as top1=95", text));
  return made;
}

std::vector<std::string> brokenRequirements(const std::vector<Requirement> &requirements,
                                            const std::vector<NetworkResult> &networks) {
  std::vector<std::string> messages;
  for (const Requirement &requirement : requirements) {
    const Figure &figure = *figureOf(requirement.figure);
    bool isKnown = false;
    for (const NetworkResult &network : networks)
      for (const DeviceResult &device : network.devices) {
        const Value value = figure.of(device);
        isKnown = isKnown || value;
        if (value && (figure.isMost ? *value > requirement.limit : !(*value >= requirement.limit)))
          messages.push_back(fmt::format("{} on {}: {} is {:.6g}, but must be at {} {:.6g}", network.name, device.name,
                                         figure.name, *value, figure.isMost ? "most" : "least", requirement.limit));
      }
    if (!isKnown)
      messages.push_back(fmt::format("no network has the figure {} of --require: it needs labels, goldens, or a device "
                                     "other than the CPU",
                                     figure.name));
  }
  return messages;
}

} // namespace avocet::tool
