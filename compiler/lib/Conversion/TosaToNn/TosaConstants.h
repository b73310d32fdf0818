//===- TosaConstants.h - Constants and shapes of TOSA -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSACONSTANTS_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSACONSTANTS_H

#include "TosaGraph.h"

#include <optional>

namespace avocet::compiler {

/// The elements as the nn dialect stores them: numbers of 4 and 48 bits as those of 8 and 64. Null: it has no such
/// type.
mlir::ElementsAttr elementsOf(TosaOperation &op, mlir::ElementsAttr elements);

/// Notes the result of an operation on shapes if it follows from constants and static extents.
void noteShape(TosaImport &import, mlir::Operation *op);

/// The elements of a constant of integers, or of a shape that was noted; nullopt: they depend on data.
std::optional<llvm::SmallVector<int64_t>> knownIntegers(const TosaImport &import, mlir::Value value);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_TOSACONSTANTS_H
