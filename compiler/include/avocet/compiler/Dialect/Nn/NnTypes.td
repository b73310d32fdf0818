//===- NnTypes.td - Type constraints of the nn dialect -----*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNTYPES_TD
#define AVOCET_COMPILER_DIALECT_NN_NNTYPES_TD

include "avocet/compiler/Dialect/Nn/NnDialect.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/CommonAttrConstraints.td"

class Nn_Quantized<string cppType, int width, string description>
    : Type<And<[CPred<"::llvm::isa<::mlir::quant::" # cppType # ">($_self)">,
                CPred<"::llvm::cast<::mlir::quant::QuantizedType>($_self).getStorageTypeIntegralWidth() == " # width>]>,
           description>;

def Nn_PerTensor8 : Nn_Quantized<"UniformQuantizedType", 8, "8-bit per-tensor quantized">;
def Nn_PerTensor16 : Nn_Quantized<"UniformQuantizedType", 16, "16-bit per-tensor quantized">;
def Nn_Signed8
    : Type<And<[Nn_PerTensor8.predicate,
                CPred<"::llvm::cast<::mlir::quant::UniformQuantizedType>($_self).isSigned()">]>,
           "signed 8-bit per-tensor quantized">;
def Nn_Signed16
    : Type<And<[Nn_PerTensor16.predicate,
                CPred<"::llvm::cast<::mlir::quant::UniformQuantizedType>($_self).isSigned()">]>,
           "signed 16-bit per-tensor quantized">;
/// 16-bit activations, as TFLite defines them.
def Nn_Symmetric16
    : Type<And<[Nn_PerTensor16.predicate,
                CPred<"::llvm::cast<::mlir::quant::UniformQuantizedType>($_self).isSigned()">,
                CPred<"::llvm::cast<::mlir::quant::UniformQuantizedType>($_self).getZeroPoint() == 0">]>,
           "signed 16-bit per-tensor quantized with zero point 0">;
def Nn_PerAxis8 : Nn_Quantized<"UniformQuantizedPerAxisType", 8, "8-bit per-axis quantized">;

/// Static shape, rank at most 32, 1 to 2^31 - 1 elements: all size arithmetic on it fits in 64 bits.
class Nn_TensorOf<list<Type> elements>
    : ConfinedType<StaticShapeTensorOf<elements>, [CPred<"::avocet::compiler::nn::hasBoundedShape($_self)">],
                   "tensor of rank at most 32 with 1 to 2^31 - 1 elements of " #
                   !interleave(!foreach(element, elements, element.summary), " or "), "::mlir::RankedTensorType"> {
  list<Type> elementTypes = elements;
}

/// Integers that store themselves. i64 holds indices most of the time; the narrow types come from casts.
defvar Nn_PlainIntegers = [I64, I32, I16, I8, UI8];

/// Those of which there are functions of one number. They wrap around.
defvar Nn_Counts = [I16, I32, I64];
defvar Nn_Floats = [F32, F16];
/// With those that are stored, moved and converted only.
defvar Nn_StoredFloats = [F32, F16, BF16];
/// Those of functions whose 8-bit numbers are looked up in a table.
defvar Nn_Tabled = [F32, F16, Nn_PerTensor8];

/// All types of values.
def Nn_Value
    : Nn_TensorOf<Nn_StoredFloats # [I1, Nn_PerTensor8, Nn_PerTensor16, Nn_PerAxis8] # Nn_PlainIntegers>;

/// Types whose elements can be moved separately.
def Nn_Movable : Nn_TensorOf<Nn_StoredFloats # [I1, Nn_PerTensor8, Nn_PerTensor16] # Nn_PlainIntegers>;

/// Values between most computing operations.
def Nn_Tensor : Nn_TensorOf<[F32, Nn_PerTensor8]>;
/// Types with real values.
def Nn_Real : Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_Symmetric16]>;
/// The same for operations that have no 16-bit form.
def Nn_Real8 : Nn_TensorOf<[F32, F16, Nn_PerTensor8]>;
/// Results of layers with weights: of quantized operands also the sums.
def Nn_LayerResult : Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_Symmetric16, I32, I64]>;
/// Types with an order.
def Nn_Number : Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_Symmetric16] # Nn_PlainIntegers>;
/// Types that can be compared for equality.
def Nn_Scalar : Nn_TensorOf<[F32, F16, I1, Nn_PerTensor8, Nn_Symmetric16] # Nn_PlainIntegers>;
/// Types that can be selected by a condition.
def Nn_Selected : Nn_TensorOf<Nn_StoredFloats # [I1, Nn_PerTensor8, Nn_Symmetric16] # Nn_PlainIntegers>;
/// Integers that are rescaled. Those of 64 bits hold sums of 48.
def Nn_Rescaled : Nn_TensorOf<[Nn_PerTensor8, Nn_PerTensor16] # Nn_PlainIntegers>;
/// Types of positions.
def Nn_Integer : Nn_TensorOf<[I32, I64]>;
def Nn_Truth : Nn_TensorOf<[I1]>;
/// Types of weights.
def Nn_Weights : Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_PerAxis8]>;
/// Right operands of matrix products, which may be computed.
def Nn_Factors : Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_PerAxis8, Nn_Symmetric16]>;
def Nn_Bias : Nn_TensorOf<[F32, F16, I32, I64]>;
/// Types of constants.
def Nn_Data : Nn_TensorOf<Nn_StoredFloats # [I1, Nn_PerTensor8, Nn_PerTensor16, Nn_PerAxis8] # Nn_PlainIntegers>;

#endif // AVOCET_COMPILER_DIALECT_NN_NNTYPES_TD
