//===- Results.cpp - Operations with several results ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

using namespace mlir;

namespace avocet::compiler {

LogicalResult finishAll(ImportedOperation &op, ValueRange values) {
  for (auto [position, value] : llvm::enumerate(values))
    if (failed(op.finish(value, static_cast<uint32_t>(position))))
      return failure();
  return success();
}

LogicalResult finishDeclared(ImportedOperation &op, ArrayRef<Value> values) {
  if (op.numOutputs() > values.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs, at most " + Twine(values.size()));
  return finishAll(op, values.take_front(op.numOutputs()));
}

} // namespace avocet::compiler
