//===- ArrayFill.h - How far shapes fill the MAC array ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of the array makes a fixed number of outputs (rows, columns, channels) of a fixed number of products each.
// What the shapes of a layer and its blocks do not fill is lost, also at the bound, which counts whole steps of
// products. A step of several cores is that of one, times their number in output channels or rows.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_ARRAYFILL_H
#define AVOCET_ANALYSIS_ARRAYFILL_H

#include "avocet/analysis/CommandStreams.h"
#include "avocet/firmware_iface/Target.h"

#include <array>
#include <optional>
#include <string>

namespace avocet::analysis {

/// What a step has several of.
enum class StepAxis { Rows, Columns, OutputChannels, InputChannels, Products };

/// `used` of `of` are filled, in the smallest numbers with that ratio if these are not whole steps.
struct AxisFill {
  StepAxis axis = StepAxis::Rows;
  uint64_t used = 1, of = 1;
  double part() const { return static_cast<double>(used) / static_cast<double>(of); }
};

/// Of the convolutions of a layer that fill it equally far and together take the most steps.
struct ArrayFill {
  std::array<AxisFill, 4> axes; ///< rows, columns, output channels; input channels, or products of a window
  double part() const;          ///< of the array's products, 0 to 1
  const AxisFill &worst() const;
};

/// By layer. None: the layer has no convolution on the array.
std::vector<std::optional<ArrayFill>> arrayFills(const CommandStreams &streams, size_t numLayers,
                                                 const firmware::Target &target);

/// "16 of 32 input channels".
std::string textOf(const AxisFill &fill);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_ARRAYFILL_H
