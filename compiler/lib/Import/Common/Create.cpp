//===- Create.cpp - Operations whose results are inferred -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Create.h"

using namespace mlir;

namespace avocet::compiler {

Operation *createInferred(ImportedOperation &op, OperationState &state, ArrayRef<nn::Shape> shapes,
                          ArrayRef<Type> elements, ResultTypes typeOf) {
  state.types.clear();
  for (auto [index, shape] : llvm::enumerate(shapes)) {
    RankedTensorType type = typeOf(index, shape, index < elements.size() ? elements[index] : Type());
    if (!type)
      return nullptr;
    state.addTypes(type);
  }
  return op.builder().create(state);
}

Value foldedResult(ImportedOperation &op, Operation *created) {
  if (!created)
    return {};
  SmallVector<OpFoldResult> results;
  if (failed(created->fold(results)) || results.empty())
    return created->getResult(0);
  auto folded = dyn_cast<Value>(results.front());
  if (!folded)
    folded = created->getDialect()
                 ->materializeConstant(op.builder(), cast<Attribute>(results.front()), created->getResult(0).getType(),
                                       created->getLoc())
                 ->getResult(0);
  created->erase();
  return folded;
}

RankedTensorType boundedType(ImportedOperation &op, nn::ShapeRef shape, Type element) {
  if (nn::isBounded(shape))
    return RankedTensorType::get(shape, element);
  return op.refuse("", "tensors of rank at most 32 with 1 to 2^31 - 1 elements", "another one on the way");
}

RankedTensorType declaredType(ImportedOperation &op, uint32_t index, nn::ShapeRef shape, Type element) {
  if (element && !op.declaresResults())
    return boundedType(op, shape, element);
  RankedTensorType type = op.resultType(index, shape);
  if (type && element && type.getElementType() != element)
    return op.malformed("has a result of another type, scale or zero point than its input");
  return type;
}

} // namespace avocet::compiler
