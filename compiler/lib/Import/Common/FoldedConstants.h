//===- FoldedConstants.h - Constants from constants -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models reshape, transpose or scale constant weights with the operators that they use for data. Layers need constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_FOLDEDCONSTANTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_FOLDEDCONSTANTS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The value as a constant: the value itself if it is one, or a new constant if it follows from constants by
/// operations of FoldedConstants.cpp, which are those whose results are exact. Otherwise null, without a report.
nn::ConstantOp foldedConstant(ImportedOperation &op, mlir::Value value);

/// The same, or the value itself. Null stays null.
mlir::Value foldedIfConstant(ImportedOperation &op, mlir::Value value);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FOLDEDCONSTANTS_H
