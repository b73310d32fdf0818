//===- TosaNumbers.cpp - Numbers and NaN in operations of TOSA --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaNumbers.h"

#include "Import/Common/Formula.h"

using namespace mlir;

namespace avocet::compiler {

Value numberLike(TosaOperation &op, Value value, double number) {
  return value ? Formula(op, elementOf(value)).constant(number) : value;
}

Value isNan(TosaOperation &op, Value value) { return compare(op, value, nn::CompareKind::NotEqual, value); }

Value selectNan(TosaOperation &op, Value value, double ofNan, Value ofOthers) {
  return value ? Formula(op, elementOf(value)).select(isNan(op, value), numberLike(op, value, ofNan), ofOthers) : value;
}

bool ignoresNan(tosa::NanPropagationMode mode, Value value) {
  return value && mode == tosa::NanPropagationMode::IGNORE && isa<FloatType>(elementOf(value));
}

Value withoutNan(TosaOperation &op, Value value, tosa::NanPropagationMode mode, double number) {
  return ignoresNan(mode, value) ? selectNan(op, value, number, value) : value;
}

} // namespace avocet::compiler
