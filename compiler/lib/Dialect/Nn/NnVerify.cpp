//===- NnVerify.cpp - Checks that several nn operations share ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

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
  // Every figure is below 2^31, so nothing here leaves 64 bits.
  int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
  int64_t padded = axis.input + axis.padBefore + axis.padAfter;
  if (reach > padded)
    return op->emitOpError() << axis.name << " of the window is " << reach << ", more than the padded input's "
                             << padded;
  int64_t expected = (padded - reach) / axis.stride + 1;
  if (output != expected)
    return op->emitOpError() << axis.name << " of the result is " << output << ", the window gives " << expected;
  return success();
}

LogicalResult verifyRank(Operation *op, StringRef name, Value value, int64_t rank) {
  int64_t actual = tensorType(value).getRank();
  if (actual != rank)
    return op->emitOpError() << "rank of " << name << " is " << actual << ", must be " << rank;
  return success();
}

LogicalResult verifySameElements(Operation *op, ValueRange values) {
  for (Value value : values.drop_front())
    if (elementType(value) != elementType(values.front()))
      return op->emitOpError() << "element types must be equal, but one is " << elementType(values.front())
                               << " and another is " << elementType(value);
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
    if (!sameStorage(elementType(value), elementType(values.front())))
      return op->emitOpError() << "storage types must be equal, but one is of " << elementType(values.front())
                               << " and another of " << elementType(value);
  return success();
}

} // namespace avocet::compiler::nn
