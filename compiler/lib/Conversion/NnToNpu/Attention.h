//===- Attention.h - Which operations are steps of an attention -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attention is softmax(scale * Q K^T + mask) V, in any order of scale, mask and changes of type or shape. Its steps
// stay operations of their own; the layer table names the attention that they belong to, so that reports show it as one
// layer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_ATTENTION_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_ATTENTION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace avocet::compiler {

class Attentions {
public:
  /// Emits a remark for each product with the result of a softmax: it is an attention, or why not.
  explicit Attentions(mlir::Block &network);

  /// "ATTENTION" and the name of the product with the values; empty: the operation is no step of an attention. Valid as
  /// long as the object.
  llvm::StringRef groupOf(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, std::string> groups_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_ATTENTION_H
