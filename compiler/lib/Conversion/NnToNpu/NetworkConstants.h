//===- NetworkConstants.h - Constants that placement has read ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_NETWORKCONSTANTS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_NETWORKCONSTANTS_H

#include "avocet/compiler/Support/UnusedConstants.h"

#include "llvm/ADT/DenseMap.h"

namespace avocet::compiler {

/// Frees the constants of a network while it is placed, each after its last reader: the device's form of them is then
/// written, and both forms of all constants never exist at a time. Relies on placers reading constants among the
/// operands of their own operation only.
class NetworkConstants {
public:
  /// Counts the readers of all nn.constant operations of the module.
  explicit NetworkConstants(mlir::ModuleOp module);

  /// The constant of the device refers to the same bytes.
  void keep(mlir::Attribute elements) { readers_.erase(entryOf(elements)); }

  /// The operation is placed.
  void release(mlir::Operation &op);

private:
  llvm::DenseMap<ConstantEntry *, size_t> readers_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_NETWORKCONSTANTS_H
