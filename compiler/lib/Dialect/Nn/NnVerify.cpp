//===- NnVerify.cpp - Checks that several nn operations share ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "NnShapeRules.h"

#include "avocet/kernels/Quantization.h"

#include <cmath>
#include <cstdint>

using namespace mlir;

namespace avocet::compiler::nn {

LogicalResult verifyShape(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  return checkShape([op] { return op->emitOpError(); }, name, shapeOf(value), shape);
}

LogicalResult verifySameElements(Operation *op, ValueRange values) {
  for (Value value : values.drop_front())
    if (elementOf(value) != elementOf(values.front()))
      return op->emitOpError() << "element types must be equal, but one is " << elementOf(values.front())
                               << " and another is " << elementOf(value);
  return success();
}

static bool sameStorage(Type a, Type b) {
  auto quantA = dyn_cast<quant::QuantizedType>(a), quantB = dyn_cast<quant::QuantizedType>(b);
  if (!quantA || !quantB)
    return a == b;
  return quantA.isSigned() == quantB.isSigned() && quantA.getStorageType() == quantB.getStorageType();
}

LogicalResult verifySameStorage(Operation *op, ValueRange values) {
  for (Value value : values.drop_front())
    if (!sameStorage(elementOf(value), elementOf(values.front())))
      return op->emitOpError() << "storage types must be equal, but one is of " << elementOf(values.front())
                               << " and another of " << elementOf(value);
  return success();
}

LogicalResult verifyExplicitNumerics(Operation *op, NumericsAttr numerics, ArrayRef<int64_t> counts, bool hasWideSums) {
  const ArrayRef<int32_t> multipliers = numerics.getMultipliers();
  if (numerics.getLeft() > 0 && !isa<AddOp, SubOp>(op))
    return op->emitOpError("has no sum whose operands are shifted to the left");
  if (!llvm::is_contained(counts, static_cast<int64_t>(multipliers.size()))) {
    InFlightDiagnostic error = op->emitOpError() << "number of multipliers must be ";
    llvm::interleave(counts, error, " or ");
    return error << ", is " << multipliers.size();
  }
  if (!hasWideSums)
    return success();
  if (numerics.getKind() != Numerics::SingleRound)
    return op->emitOpError("sums of 64 bits are rounded once: their numerics are single_round");
  if (llvm::any_of(multipliers, [](int32_t multiplier) { return multiplier > INT16_MAX; }))
    return op->emitOpError("multipliers of 64-bit sums must be 0 to 32767");
  return success();
}

static bool isFixedScale(quant::UniformQuantizedType type, double scale, ScaleRule rule) {
  if (rule == ScaleRule::Near)
    return std::abs(type.getScale() - scale) <= 0.001 * scale;
  if (rule == ScaleRule::WidePowerOfTwo && type.getStorageTypeIntegralWidth() == 16)
    return kernels::scaleExponent(static_cast<float>(type.getScale())) == std::ilogb(scale);
  return type.getScale() == scale;
}

LogicalResult verifyBoundedResult(Operation *op, Value output, double scale, int64_t signedZero, ScaleRule rule) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(output));
  if (!type)
    return success();
  int64_t zeroPoint = type.isSigned() ? signedZero : signedZero + 128;
  if (type.getStorageTypeIntegralWidth() == 16) {
    scale = 1.0 / 32768;
    zeroPoint = 0;
  }
  if (!isFixedScale(type, scale, rule) || type.getZeroPoint() != zeroPoint)
    return op->emitOpError() << "result must have scale " << scale << " and zero point " << zeroPoint << ", has "
                             << type;
  return success();
}

} // namespace avocet::compiler::nn
