//===- Tables.cpp - Functions of few stored values --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

#include "Constants.h"

using namespace mlir;

namespace avocet::compiler {

Value mapped(ImportedOperation &op, Value input, Type element, ByteFunction function) {
  constexpr int32_t kArguments = 256;
  auto type = RankedTensorType::get({kArguments}, element);
  ElementsAttr results = computedElements(type, "table", [&](llvm::MutableArrayRef<char> bytes) {
    for (int32_t argument = 0; argument < kArguments; ++argument)
      bytes[argument] = static_cast<char>(function(argument));
  });
  Value table = nn::ConstantOp::create(op.builder(), op.location(), type, results);
  ArrayRef<int64_t> shape = shapeOf(input);
  Value stored =
      nn::CastOp::create(op.builder(), op.location(), RankedTensorType::get(shape, op.builder().getI32Type()), input);
  return nn::GatherOp::create(op.builder(), op.location(), RankedTensorType::get(shape, element), table, stored, 0);
}

} // namespace avocet::compiler
