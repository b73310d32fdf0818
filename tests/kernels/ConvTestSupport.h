//===- ConvTestSupport.h - Random convolutions ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_CONVTESTSUPPORT_H
#define AVOCET_TESTS_KERNELS_CONVTESTSUPPORT_H

#include "KernelTestSupport.h"

#include <vector>

namespace avocet::kernels {

/// The common properties of a family of random convolutions.
struct ConvFamily {
  firmware::ConvKind kind = firmware::ConvKind::Dense;
  firmware::OutputScaling scaling = firmware::OutputScaling::Requantize;
  firmware::DataType input = firmware::DataType::Int8;
  firmware::DataType weight = firmware::DataType::Int8;
  firmware::DataType output = firmware::DataType::Int8;
  bool pointwise = false; ///< 1x1 kernels only
  int32_t mostChannels = 40;
  firmware::Rounding rounding = firmware::Rounding::Double;
  bool areWeightsScaled = false; ///< float weights are small integers with one scale
};

/// A legal command with random contents, and its weights in plain order (OHWI, or [kh][kw][c]).
struct ConvCase {
  firmware::ConvCommand command;
  std::vector<double> weights;
};

ConvCase makeConvCase(const ConvFamily &family, const firmware::Target &target, TestSram &sram, Random &random);

/// Stores plain weights in SRAM in the device's order and sets the command's weight fields.
void placeWeights(const firmware::Target &target, const std::vector<double> &weights, firmware::ConvCommand &command,
                  TestSram &sram);

/// Replaces the packed weights of a command by a slice with one more granule of other weights before them.
void compressWeights(const firmware::Target &target, firmware::ConvCommand &command, TestSram &sram);

/// Every output element by the definition: sums over the padded window, requantization in wide integers.
std::vector<double> convByDefinition(const ConvCase &c, TestSram &sram);

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_CONVTESTSUPPORT_H
