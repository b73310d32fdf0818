//===- UnusedConstants.h - Memory of constants ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR keeps the bytes of every constant until its context is destroyed. Placement writes most constants anew, in the
// order of the device, and the file of the artefacts has them once more: without these functions the peak memory of a
// compilation is three to five times its constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_UNUSEDCONSTANTS_H
#define AVOCET_COMPILER_SUPPORT_UNUSEDCONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace avocet::compiler {

using ConstantEntry = mlir::DialectResourceBlobManager::BlobEntry;

/// The entry of a constant in the tables of the context; null: its elements are in the attribute itself.
ConstantEntry *entryOf(mlir::Attribute elements);

/// Returns the memory of bytes that are read next from their file, if ever, or never: only whole pages.
void returnPages(llvm::ArrayRef<char> bytes);

/// Frees the bytes of one constant, and returns their memory to the system. Afterwards it has no bytes.
void freeConstant(ConstantEntry &entry);

/// Frees the bytes of all constants to which no operation of the module refers. No other module of the context may be
/// used afterwards.
void freeUnusedConstants(mlir::ModuleOp module);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_UNUSEDCONSTANTS_H
