//===- ImportTypes.h - Types that only importers have -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files have element types that the dialect and the device lack: integers of 2 and 4 bits, unsigned ones of 16, 32 and
// 64 bits, floats of 4 and 8 bits. They have tensors without elements too. Converters create operations of the dialect
// on such values as on others. legalizeImportTypes() then replaces these operations by ones of the dialect that give
// the same numbers, and refuses what has none.
//
// A value of such a type is stored as the integer of 8, 16, 32 or 64 bits with the same number or bits: a byte for each
// element of less than 8 bits, and the signed type of the same width for wide unsigned integers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTTYPES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTTYPES_H

#include "Formula.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler {

/// The element type that stores such a type; null: the dialect has the type.
mlir::Type storageOfImported(mlir::Type element);

/// Whether the type has no elements, or an element type that the dialect lacks.
bool isImportOnly(mlir::Type tensor);
/// Whether a tensor may have the shape during an import: as elsewhere, or without elements.
bool isImportable(llvm::ArrayRef<int64_t> shape);
/// Whether an operand or a result of the operation has such a type.
bool hasImportOnly(mlir::Operation *op);

/// After the import: replaces all such types in the function. Fails after refusals.
mlir::LogicalResult legalizeImportTypes(ImportState &state, mlir::func::FuncOp function);

/// Operations with wide unsigned operands or results (WideUnsigned.cpp), in signed ones of the same bits. Null after a
/// refusal.
mlir::Value wideUnsigned(ImportedOperation &op, mlir::Operation *created, mlir::TypeRange operands, mlir::Type result);
/// The signed number whose place in the order is that of the unsigned one with these bits, and the other way around.
mlir::Value withSignedOrder(ImportedOperation &op, mlir::Value x);
/// The number of a wide unsigned integer, whose bits `x` has, in a type that the dialect has.
mlir::Value fromWideUnsigned(ImportedOperation &op, mlir::Value x, mlir::Type from, mlir::Type to, bool wraps);
/// The bits of the wide unsigned integer with the number `x`; the nearest one, or the low bits if integers wrap.
mlir::Value toWideUnsigned(ImportedOperation &op, mlir::Value x, mlir::IntegerType to, bool wraps);

/// The number of a float of few bits, u8, as f32.
mlir::Value fromSmallFloat(ImportedOperation &op, mlir::Value code, mlir::FloatType from);
/// The code of the nearest float of few bits, ties to even, of a number of f32. What is too large becomes the largest
/// one, or infinity or NaN if not `saturates`.
mlir::Value toSmallFloat(ImportedOperation &op, mlir::Value x, mlir::FloatType to, bool saturates);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTTYPES_H
