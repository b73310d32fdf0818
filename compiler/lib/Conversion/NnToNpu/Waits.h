//===- Waits.h - Operations that wait for all of their input ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation whose every result depends on all of its input cannot overlap what makes the input, nor what reads its
// result. If moreover each other operation of the network comes before or after it, nothing fills the time from the
// last element of its input to its first result. These operations have a latency of their own in the bound of the
// device.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_WAITS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_WAITS_H

#include "avocet/kernels/DeviceBound.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

namespace avocet::compiler {

class Waits {
public:
  /// The operations of a network, a single block in topological order.
  explicit Waits(mlir::Block &network);

  kernels::Waiting of(mlir::Operation *op) const { return waiting_.lookup(op); }

private:
  llvm::DenseMap<mlir::Operation *, kernels::Waiting> waiting_; ///< without those that do not wait
};

/// What makes the value, past operations that only move elements; null: an input of the network, or a constant.
mlir::Operation *producerOf(mlir::Value value);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_WAITS_H
