//===- TosaAttributes.h - Attributes of operators in a file -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAATTRIBUTES_H
#define AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAATTRIBUTES_H

#include "TosaFile.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OperationSupport.h"

namespace avocet::compiler {

struct TosaAttributes {
  mlir::NamedAttrList values;                ///< as the operation of the dialect has them
  mlir::SmallVector<llvm::StringRef> graphs; ///< names of graphs that become its regions, in their order
};

/// The type of elements; null: it is no type of tensors.
mlir::Type elementOf(mlir::MLIRContext *context, tosa_file::DType type);

/// Reads all fields of the operator's table by the reflection data of the schema: the dialect calls its attributes like
/// the format its fields. Fields that do not say anything (UNKNOWN) are left out; the dialect decides whether an
/// operation needs them. `element` is the element type of the first operand, which bounds of a clamp have; null: there
/// is no such operand. Emits an error at `location` on failure.
mlir::FailureOr<TosaAttributes> readAttributes(mlir::Location location, const tosa_file::TosaOperator &operation,
                                               mlir::Type element);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TOSA_TOSAATTRIBUTES_H
