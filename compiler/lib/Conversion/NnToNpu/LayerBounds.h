//===- LayerBounds.h - Work and bounds in the layer table -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures of the layer table that depend on network and target only. They are computed from the operations of the
// network before their placement, so that no choice of the compiler changes them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERBOUNDS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERBOUNDS_H

#include "Waits.h"
#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseSet.h"

namespace avocet::compiler {

class LayerBounds {
public:
  LayerBounds(const firmware::Target &target, mlir::Block &network) : target_(target), waits_(network) {}

  /// MACs, compute and device cycles, bytes of constants and bound of an operation, without those that are 0. Each
  /// constant counts for the first operation that reads it.
  mlir::NamedAttrList of(mlir::Operation *op);

private:
  const firmware::Target &target_;
  const Waits waits_;
  llvm::DenseSet<mlir::Operation *> counted_; ///< constants of earlier operations
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERBOUNDS_H
