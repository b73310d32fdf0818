//===- TosaNumbers.cpp - Numbers and NaN in operations of TOSA --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaNumbers.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {

Value numberLike(TosaOperation &op, Value value, double number) {
  const auto type = RankedTensorType::get(SmallVector<int64_t>(shapeOf(value).size(), 1), elementOf(value));
  const Type element = type.getElementType();
  return isa<FloatType>(element) ? filled(op, type, op.builder().getFloatAttr(element, number))
                                 : filled(op, type, op.builder().getIntegerAttr(element, static_cast<int64_t>(number)));
}

Value isNan(TosaOperation &op, Value value) { return compare(op, value, nn::CompareKind::NotEqual, value); }

Value withoutNan(TosaOperation &op, Value value, tosa::NanPropagationMode mode, double number) {
  if (!value || mode == tosa::NanPropagationMode::PROPAGATE || !isa<FloatType>(elementOf(value)))
    return value;
  return create<nn::SelectOp>(op, isNan(op, value), broadcastTo(op, numberLike(op, value, number), shapeOf(value)),
                              value);
}

} // namespace avocet::compiler
