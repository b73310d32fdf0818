//===- Softmax.cpp - Softmax of integers ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(softmax(dequantize(x)))     a softmax of integers, whose results are rounded once
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "../Greedy.h"

using namespace mlir;

namespace avocet::compiler::nn {

std::optional<StringRef> fuseQuantizedSoftmax(const Group &group, RewriterBase &rewriter) {
  // The smallest scale with which the device multiplies, and the most elements whose sum of exponentials it holds.
  constexpr double kLeastScale = 0x1p-16;
  constexpr int64_t kMostElements = 4095;
  auto softmax = dyn_cast<SoftmaxOp>(group.op);
  if (!softmax)
    return std::nullopt;
  Value x = bytesBehind(softmax.getInput());
  if (!x || !hasEightBits(group.result()))
    return "its input or its result is not quantized to 8 bits";
  if (!(softmax.getBeta().convertToFloat() > 0) || group.result().getScale() < kLeastScale)
    return "its factor is not positive, or the scale of its result is below 2^-16";
  if (shapeOf(x)[softmax.positiveAxis()] > kMostElements)
    return "its lines have more than 4095 elements";
  rewriter.setInsertionPoint(group.last);
  Operation *integers = SoftmaxOp::create(rewriter, group.location(), group.resultType(),
                                          withSignedness(x, group.result().isSigned(), group.location(), rewriter),
                                          softmax.getBeta(), softmax.getAxis());
  integers->setDiscardableAttr(kNearestAttr, rewriter.getUnitAttr());
  replaceGroup(group, clampedResult(group, integers, rewriter), rewriter);
  return "";
}

} // namespace avocet::compiler::nn
