//===- NnDialect.h - The nn dialect: graph level -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++ declarations of the dialect that NnDialect.td describes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNDIALECT_H
#define AVOCET_COMPILER_DIALECT_NN_NNDIALECT_H

#include "avocet/compiler/Dialect/Nn/NnInference.h"
#include "avocet/compiler/Dialect/Nn/NnLayout.h"
#include "avocet/compiler/Dialect/Nn/NnMerge.h"
#include "avocet/compiler/Dialect/Nn/NnRows.h"
#include "avocet/compiler/Dialect/Nn/NnWork.h"
#include "avocet/kernels/Activation.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h.inc"
#include "avocet/compiler/Dialect/Nn/NnEnums.h.inc"

namespace avocet::compiler::nn {

using kernels::Activation;

/// Attribute on arguments and results of a network's function: the operand's name.
inline constexpr llvm::StringLiteral kNameAttr = "nn.name";

/// Whether a tensor type has static shape, rank at most 32 and 1 to 2^31 - 1 elements.
bool hasBoundedShape(mlir::Type type);

} // namespace avocet::compiler::nn

#include "avocet/compiler/Dialect/Nn/NnInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "avocet/compiler/Dialect/Nn/NnAttrs.h.inc"

#define GET_OP_CLASSES
#include "avocet/compiler/Dialect/Nn/NnOps.h.inc"

namespace avocet::compiler::nn {

/// The clamp that an operation has as its attribute "activation".
inline Activation activationOf(mlir::Operation *op) {
  auto activation = op->getAttrOfType<ActivationAttr>("activation");
  return activation ? activation.getValue() : Activation::kNone;
}

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNDIALECT_H
