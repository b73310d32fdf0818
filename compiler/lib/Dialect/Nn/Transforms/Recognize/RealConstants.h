//===- RealConstants.h - Constants as real numbers --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_REALCONSTANTS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_REALCONSTANTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <vector>

namespace avocet::compiler::nn {

/// The real number that all elements of a constant have; reshapes of it do not matter. Of floats and quantized numbers.
std::optional<double> splatOf(mlir::Value value);

/// All elements of a constant of f32 or f16.
std::optional<std::vector<float>> floatsOf(mlir::Value value);

/// A constant of f32 or f16 with these elements, each of which the type has exactly or is rounded to it.
mlir::Value floatConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                          llvm::ArrayRef<float> elements);

/// Whether a constant with elements of this type stands for `wanted`. Training code rounds constants to the element
/// type, or to a few digits more than that.
bool isNear(double found, double wanted, mlir::Type element);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_REALCONSTANTS_H
