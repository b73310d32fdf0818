//===- NnapiTypes.h - Operand types of NNAPI in MLIR ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPITYPES_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPITYPES_H

#include "NnapiFile.h"

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace avocet::compiler {

/// An element type, or the rule that the operand breaks.
struct NnapiElement {
  mlir::Type type;
  std::string rule;
};

/// f32, f16, i32, i1, or !quant.uniform with the operand's scale and zero point. INT32 tensors are i32 even with a
/// scale, because the scale of a bias follows from its operation.
NnapiElement elementTypeOf(mlir::MLIRContext *context, const nnapi::Operand &operand);

/// Declared extents, 0 where unknown; empty for scalars and unknown ranks.
mlir::SmallVector<int64_t> dimensionsOf(const nnapi::Operand &operand);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPITYPES_H
