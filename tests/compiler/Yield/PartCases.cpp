//===- PartCases.cpp - A command of every DSP kernel -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

FeatureMap Operands::any(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
  return make(type, height, width, channels, isFilled_ ? Placement::Scattered : Placement::Dense);
}

FeatureMap Operands::dense(DataType type, uint32_t height, uint32_t width, uint32_t channels) {
  return make(type, height, width, channels, Placement::Dense);
}

FeatureMap Operands::make(DataType type, uint32_t height, uint32_t width, uint32_t channels, Placement placement) {
  const FeatureMap map = sram_.map(type, height, width, channels, placement, random_);
  if (isFilled_)
    sram_.fill(map, random_);
  return map;
}

std::vector<PartCase> partCases() {
  std::vector<PartCase> all;
  for (const auto &part : {elementwiseParts(), lineParts(), moveParts(), imageParts(), cellParts(), detectionParts()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace avocet::compiler
