//===- NnInference.cpp - Results that operations infer ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnInference.h"

#include "NnInferenceImpl.h"
#include "NnShapeRules.h"

using namespace mlir;

namespace avocet::compiler::nn {

LogicalResult verifyResults(Operation *op, ArrayRef<Shape> shapes, ArrayRef<Type> elements) {
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    const RankedTensorType type = tensorOf(result);
    if (!fits(type.getShape(), shapes[index]))
      return op->emitOpError() << "result " << index << " has the shape " << textOf(type.getShape())
                               << ", operands and attributes give " << textOf(shapes[index]);
    if (const Type element = index < elements.size() ? elements[index] : Type();
        element && element != type.getElementType())
      return op->emitOpError() << "result " << index << " has elements of " << type.getElementType()
                               << ", operands and attributes give " << element;
  }
  return success();
}

} // namespace avocet::compiler::nn
