//===- Lookup.cpp - Lookups and hashes of all importers ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"

#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

FailureOr<HashtableTypes> hashtableTypes(ImportedOperation &op, Value lookups, Value keys, Value values) {
  if (shapeOf(values).empty() || shapeOf(lookups).size() != 1 || shapeOf(keys) != shapeOf(values).take_front())
    return op.malformed("must have lookups of rank 1, and a key for each row of values");
  SmallVector<int64_t> shape(shapeOf(values));
  shape[0] = shapeOf(lookups)[0];
  const HashtableTypes types{movedType(op, 0, values, shape), op.resultType(1, shapeOf(lookups))};
  if (!types.output || !types.hits)
    return failure();
  return types;
}

LogicalResult finishLshProjection(ImportedOperation &op, Value seeds, Value input, Value weights, nn::LshKind kind) {
  ArrayRef<int64_t> shape = shapeOf(seeds);
  if (shape.size() != 2 || shapeOf(input).empty())
    return op.malformed("must have a hash of rank 2 and an input with rows");
  const bool isDense = kind == nn::LshKind::Dense;
  RankedTensorType type = op.resultType(0, {isDense ? shape[0] * shape[1] : shape[0]});
  return type ? op.finish(nn::LshProjectionOp::create(op.builder(), op.location(), type, seeds, input, weights, kind))
              : failure();
}

} // namespace avocet::compiler
