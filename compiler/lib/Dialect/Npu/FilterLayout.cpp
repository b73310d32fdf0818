//===- FilterLayout.cpp - Layout of a convolution's weights ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Npu/FilterLayout.h"

using namespace mlir;

namespace avocet::compiler::npu {

/// Maps have rows, columns and channels; vectors have channels only.
static uint32_t channelsOf(Value map) {
  return static_cast<uint32_t>(cast<RankedTensorType>(map.getType()).getShape().back());
}

Result<firmware::WeightLayout> filterLayout(ConvOp op, const firmware::Target &target) {
  const firmware::ConvCommand &command = op.getCommand();
  const firmware::WeightDims dims{channelsOf(op.getResult()), command.window.kernelHeight, command.window.kernelWidth,
                                  channelsOf(op.getInput())};
  return firmware::WeightLayout::create(target.mac(), command.kind, dims, firmware::sizeOf(command.weightType));
}

} // namespace avocet::compiler::npu
