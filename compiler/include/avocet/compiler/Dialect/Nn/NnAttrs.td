//===- NnAttrs.td - Attributes of the nn dialect -----------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD

include "avocet/compiler/Dialect/Nn/NnDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Nn_ActivationKind : I32EnumAttr<"Activation", "clamp that follows an operation", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Relu", 1, "relu">,         // [0, inf)
    I32EnumAttrCase<"ReluN1To1", 2, "relu_n1_to_1">, // [-1, 1]
    I32EnumAttrCase<"Relu6", 3, "relu6">        // [0, 6]
  ]> {
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_ActivationAttr : EnumAttr<Nn_Dialect, Nn_ActivationKind, "activation">;

/// `activation`: none unless given. Bounds are real numbers; a quantised result rounds them to its own scale.
def Nn_FusedActivation
    : DefaultValuedAttr<Nn_ActivationAttr, "::avocet::compiler::nn::Activation::None">;

/// Two positive numbers, height first; 1 unless given.
def Nn_Pair : DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>{1, 1}">;

/// Padding of a window: [top, bottom, left, right] rows and columns.
def Nn_Padding : DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>{0, 0, 0, 0}">;

#endif // AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD
