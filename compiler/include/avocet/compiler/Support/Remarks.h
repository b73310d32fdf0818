//===- Remarks.h - Decisions of the compiler as remarks ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes say what they decide, and why, with MLIR's optimization remarks (mlir/IR/Remarks.h): `passed` is the choice,
// `missed` an alternative that would have been possible, `failed` one that is not. The remarks of one decision have the
// same location and name. Without a remark engine in the context they cost nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_REMARKS_H
#define AVOCET_COMPILER_SUPPORT_REMARKS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace avocet::compiler {

/// Categories, for filters such as --remarks-filter of avocet-opt.
namespace remarks {
inline constexpr llvm::StringLiteral kImport = "import";       ///< phase import: what a file says and does not count
inline constexpr llvm::StringLiteral kFusion = "fusion";       ///< phase nn: operators that become one
inline constexpr llvm::StringLiteral kPlacement = "placement"; ///< phase place: engine and form of an operation
inline constexpr llvm::StringLiteral kCompression = "compression"; ///< phase place: form of weights
inline constexpr llvm::StringLiteral kSchedule = "schedule";       ///< phase schedule: plan, cascades, spills, blocks

// Keys of the arguments that several remarks have.
inline constexpr llvm::StringLiteral kChoice = "Choice";           ///< what is done, or would be
inline constexpr llvm::StringLiteral kReason = "Reason";           ///< why it was chosen, or not
inline constexpr llvm::StringLiteral kCycles = "Cycles";           ///< predicted
inline constexpr llvm::StringLiteral kChange = "CyclesChange";     ///< predicted, of the network, against the choice
inline constexpr llvm::StringLiteral kNeedsBytes = "NeedsBytes";   ///< of SRAM
inline constexpr llvm::StringLiteral kHasBytes = "HasBytes";       ///< of SRAM, that the target has
inline constexpr llvm::StringLiteral kStoredBytes = "StoredBytes"; ///< in the data cache
inline constexpr llvm::StringLiteral kLayer = "Layer";             ///< number in the layer table of the artefacts
inline constexpr llvm::StringLiteral kLastLayer = "LastLayer";     ///< of a decision about several layers
inline constexpr llvm::StringLiteral kHint = "Hint";               ///< that makes this the choice (docs/Hints.md)
} // namespace remarks

/// Whether the context has a remark engine: for passes that have to compute what a remark says.
inline bool wantsRemarks(mlir::MLIRContext *context) { return context->getRemarkEngine() != nullptr; }

/// Options of a remark about an operation.
inline mlir::remark::RemarkOpts remarkOptions(llvm::StringLiteral category, llvm::StringLiteral name) {
  return mlir::remark::RemarkOpts::name(name).category(category);
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_REMARKS_H
