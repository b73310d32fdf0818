//===- ArrayFill.cpp - How far shapes fill the MAC array ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/ArrayFill.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace avocet::analysis {
namespace {

using firmware::ArrayStep;
using firmware::ConvCommand;

/// Extents of whole steps, with which blocks of `block` cover `extent`.
uint64_t coveredBy(uint64_t extent, uint64_t block, uint64_t step) {
  block = std::clamp<uint64_t>(block, 1, std::max<uint64_t>(extent, 1));
  const uint64_t rest = extent % block;
  return extent / block * roundUp(block, step) + roundUp(rest, step);
}

/// Less than one step: as it is. Else in the smallest numbers.
AxisFill fillOf(StepAxis axis, uint64_t used, uint64_t covered, uint64_t step) {
  const uint64_t divisor = covered > step ? std::gcd(used, covered) : 1;
  return {axis, used / divisor, covered / divisor};
}

AxisFill productFill(const ConvCommand &conv, const ArrayStep &step) {
  const uint64_t taps = uint64_t{conv.window.kernelHeight} * conv.window.kernelWidth;
  const bool isDense = conv.kind == firmware::ConvKind::Dense;
  const uint64_t products = isDense ? taps * conv.input.channels : taps;
  const StepAxis axis = isDense && taps == 1 ? StepAxis::InputChannels : StepAxis::Products;
  return fillOf(axis, products, roundUp(products, step.products), step.products);
}

ArrayFill fillOf(const ConvCommand &conv, const ArrayStep &step) {
  const firmware::FeatureMap &output = conv.output;
  const auto fill = [](StepAxis axis, uint64_t extent, uint64_t block, uint64_t of) {
    return fillOf(axis, extent, coveredBy(extent, block, of), of);
  };
  return {{fill(StepAxis::Rows, output.height, conv.block.height, step.height),
           fill(StepAxis::Columns, output.width, conv.block.width, step.width),
           fill(StepAxis::OutputChannels, output.channels, conv.block.channels, step.channels),
           productFill(conv, step)}};
}

/// The cores split a block by output channels or by rows, whichever takes fewer steps.
ArrayFill fillOf(const ConvCommand &conv, const firmware::MacArrayModel &mac) {
  const ArrayStep &step = conv.kind == firmware::ConvKind::Dense ? mac.dense : mac.depthwise;
  ArrayStep byChannels = step, byRows = step;
  byChannels.channels *= mac.cores;
  byRows.height *= mac.cores;
  const ArrayFill ofChannels = fillOf(conv, byChannels), ofRows = fillOf(conv, byRows);
  return ofChannels.part() >= ofRows.part() ? ofChannels : ofRows;
}

/// Products of the command, whether the array's places are filled or not.
double placesOf(const ConvCommand &conv, const ArrayFill &fill) {
  const double outputs = static_cast<double>(conv.output.height) * conv.output.width * conv.output.channels;
  return outputs / fill.part();
}

/// Commands of a layer that fill the array equally far.
struct EqualFills {
  ArrayFill fill;
  double places = 0; ///< of all of them
};

} // namespace

double ArrayFill::part() const {
  double part = 1;
  for (const AxisFill &axis : axes)
    part *= axis.part();
  return part;
}

const AxisFill &ArrayFill::worst() const { return *std::ranges::min_element(axes, {}, &AxisFill::part); }

std::vector<std::optional<ArrayFill>> arrayFills(const CommandStreams &streams, size_t numLayers,
                                                 const firmware::Target &target) {
  std::vector<std::map<std::array<double, 4>, EqualFills>> found(numLayers);
  streams.forEach([&](const CommandPlace &, const firmware::Command &command) {
    const auto *conv = std::get_if<ConvCommand>(&command.body);
    if (!conv || command.layer >= numLayers)
      return;
    const ArrayFill fill = fillOf(*conv, target.mac());
    std::array<double, 4> parts;
    std::ranges::transform(fill.axes, parts.begin(), &AxisFill::part);
    found[command.layer].try_emplace(parts, EqualFills{fill}).first->second.places += placesOf(*conv, fill);
  });
  std::vector<std::optional<ArrayFill>> fills(numLayers);
  for (size_t i = 0; i < numLayers; ++i)
    if (!found[i].empty())
      fills[i] =
          std::ranges::max_element(found[i], {}, [](const auto &each) { return each.second.places; })->second.fill;
  return fills;
}

std::string textOf(const AxisFill &fill) {
  constexpr std::array<std::string_view, 5> kNames = {"rows", "columns", "output channels", "input channels",
                                                      "products"};
  return fmt::format("{} of {} {}", fill.used, fill.of, kNames[static_cast<size_t>(fill.axis)]);
}

} // namespace avocet::analysis
