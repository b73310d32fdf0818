//===- NnVerify.cpp - Checks that several nn operations share ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "avocet/firmware_iface/WindowInputs.h"
#include "avocet/kernels/Quantization.h"
#include "mlir/Dialect/Traits.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler::nn {

LogicalResult verifyArray(Operation *op, StringRef name, ArrayRef<int64_t> values, size_t count, int64_t least) {
  if (values.size() != count)
    return op->emitOpError() << "'" << name << "' has " << values.size() << " entries, must have " << count;
  for (int64_t value : values)
    if (value < least || value > INT32_MAX)
      return op->emitOpError() << "'" << name << "' has the entry " << value << ", must be " << least << " to "
                               << INT32_MAX;
  return success();
}

LogicalResult verifyAxis(Operation *op, const Axis &axis, int64_t output) {
  // Every figure is below 2^31, so no sum or product here exceeds 64 bits.
  int64_t reach = firmware::windowReach(axis.kernel, axis.dilation);
  int64_t padded = axis.input + axis.padBefore + axis.padAfter;
  if (reach > padded)
    return op->emitOpError() << axis.name << " of the window is " << reach << ", more than the padded input's "
                             << padded;
  int64_t expected = firmware::windowsIn(padded, axis.stride, reach);
  if (output != expected)
    return op->emitOpError() << axis.name << " of the result is " << output << ", the window gives " << expected;
  return success();
}

LogicalResult verifyRank(Operation *op, StringRef name, Value value, int64_t rank) {
  int64_t actual = tensorOf(value).getRank();
  if (actual != rank)
    return op->emitOpError() << "rank of " << name << " is " << actual << ", must be " << rank;
  return success();
}

LogicalResult verifyShape(Operation *op, StringRef name, Value value, ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return success();
  return op->emitOpError() << name << " has " << tensorOf(value) << ", shape must be [" << shape << "]";
}

LogicalResult verifyBroadcast(Operation *op, Value lhs, Value rhs, Value output) {
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(shapeOf(lhs), shapeOf(rhs), shape))
    return op->emitOpError() << "shapes " << tensorOf(lhs) << " and " << tensorOf(rhs) << " do not broadcast";
  if (shapeOf(output) != ArrayRef(shape))
    return op->emitOpError() << "shape of the result must be that of the broadcast inputs";
  return success();
}

LogicalResult verifySameShapes(Operation *op, ValueRange values) {
  for (Value value : values.drop_front())
    if (shapeOf(value) != shapeOf(values.front()))
      return op->emitOpError() << "shapes must be equal, but one is of " << tensorOf(values.front())
                               << " and another of " << tensorOf(value);
  return success();
}

static LogicalResult verifyAxes(Operation *op, ArrayRef<int64_t> axes, int64_t rank) {
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= rank)
      return op->emitOpError() << "axis " << axis << " is outside of rank " << rank;
    if (index > 0 && axis <= axes[index - 1])
      return op->emitOpError("axes must be sorted and unique");
  }
  return axes.empty() ? op->emitOpError("needs at least one axis") : success();
}

/// The shape after a reduction, with the reduced axes kept or dropped.
static SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool keep) {
  SmallVector<int64_t> result;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      result.push_back(extent);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

LogicalResult verifyReduction(Operation *op, Value input, ArrayRef<int64_t> axes, Value output) {
  auto from = tensorOf(input), to = tensorOf(output);
  if (failed(verifyAxes(op, axes, from.getRank())))
    return failure();
  SmallVector<int64_t> kept = reducedShape(from.getShape(), axes, true),
                       dropped = reducedShape(from.getShape(), axes, false);
  bool isOne = dropped.empty() && to.getRank() == 1 && to.getDimSize(0) == 1;
  if (isOne || to.getShape() == ArrayRef(kept) || to.getShape() == ArrayRef(dropped))
    return success();
  return op->emitOpError() << "shape of the result does not follow from " << from << " without axes " << axes;
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

LogicalResult verifySameShape(Operation *op, Value input, Value output) {
  if (shapeOf(input) != shapeOf(output))
    return op->emitOpError() << "result must have the shape of the input";
  return verifySameStorage(op, {input, output});
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
