//===- NetworkConstants.cpp - Constants that placement has read -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkConstants.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

using namespace mlir;

namespace avocet::compiler {

NetworkConstants::NetworkConstants(ModuleOp module) {
  module->walk([&](nn::ConstantOp constant) {
    if (ConstantEntry *entry = entryOf(constant.getValue()))
      readers_[entry] += llvm::range_size(constant->getUses());
  });
}

void NetworkConstants::release(Operation &op) {
  for (Value operand : op.getOperands())
    if (auto constant = operand.getDefiningOp<nn::ConstantOp>())
      if (auto left = readers_.find(entryOf(constant.getValue())); left != readers_.end() && --left->second == 0)
        freeConstant(*left->first);
}

} // namespace avocet::compiler
