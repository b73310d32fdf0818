//===- GraphOperation.cpp - Operators of files with graphs ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOperation.h"

using namespace mlir;

namespace avocet::compiler {

nn::ConstantOp GraphImport::addConstant(Location at, RankedTensorType type, ElementsAttr elements) {
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(constants);
  auto constant = nn::ConstantOp::create(builder, at, type, elements);
  lastConstant = constant;
  return constant;
}

} // namespace avocet::compiler
