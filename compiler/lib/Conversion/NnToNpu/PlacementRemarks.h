//===- PlacementRemarks.h - Engines of operations as remarks ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The remarks "engine" of the category placement (Support/Remarks.h), at the operations of the network.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACEMENTREMARKS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACEMENTREMARKS_H

#include "avocet/firmware_iface/Command.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace avocet::compiler {

/// What each operation of a network becomes.
class PlacementRemarks {
public:
  /// `placed` is the body in which the operations are placed; it must outlive the object.
  explicit PlacementRemarks(mlir::Block &placed) : placed_(placed) {}

  /// Says what `op` has become: the operations at the end of the body since the last call.
  void emitFor(mlir::Operation *op);

private:
  mlir::Block &placed_;
  mlir::Operation *last_ = nullptr; ///< that a remark is about
};

/// The MAC array cannot run the operation, for a reason that depends on its shapes or on the target.
void remarkNotOnArray(mlir::Operation *op, llvm::StringRef reason);

/// Predicted cycles of an operation that both engines can run.
void remarkEngines(mlir::Operation *op, uint64_t arrayCycles, uint64_t dspCycles, firmware::EngineKind chosen);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_PLACEMENTREMARKS_H
