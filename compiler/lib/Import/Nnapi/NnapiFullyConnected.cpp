//===- NnapiFullyConnected.cpp - Matrix products ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

#include "Import/Common/MatrixProduct.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertFullyConnected(NnapiOperation &op) {
  Value input = op.value(0, "input"), filter = op.value(1, "weights"), bias = op.value(2, "bias");
  FailureOr<nn::Activation> activation = op.activation(3);
  if (!input || !filter || !bias || failed(activation))
    return failure();
  int64_t elements = cast<RankedTensorType>(input.getType()).getNumElements();
  if (shapeOf(filter).size() != 2 || elements % shapeOf(filter)[1] != 0)
    return op.malformed("has " + Twine(elements) + " input elements and weights of rank " +
                        Twine(shapeOf(filter).size()) + ", must be whole rows and 2");
  RankedTensorType result = op.resultType(0, {elements / shapeOf(filter)[1], shapeOf(filter)[0]});
  if (!result)
    return failure();
  return op.finish(
      nn::FullyConnectedOp::create(op.builder(), op.location(), result, input, filter, bias, *activation, true));
}

LogicalResult convertBatchMatmul(NnapiOperation &op) {
  FailureOr<bool> transposeLhs = op.boolean(2, "lhs transposition"), transposeRhs = op.boolean(3, "rhs transposition");
  if (failed(transposeLhs) || failed(transposeRhs))
    return failure();
  return convertMatrixProduct(op, *transposeLhs, *transposeRhs);
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::BatchMatmul, 4, 4, 1 << 2 | 1 << 3, convertBatchMatmul},
    {OperationType::FullyConnected, 4, 4, 1 << 3, convertFullyConnected},
};

} // namespace

ArrayRef<NnapiConverter> nnapiFullyConnectedConverters() { return kConverters; }

} // namespace avocet::compiler
