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
    I32EnumAttrCase<"Relu6", 3, "relu6">,       // [0, 6]
    I32EnumAttrCase<"Relu0To1", 4, "relu_0_to_1"> // [0, 1]
  ]> {
  let description = [{
    The range is [0, inf) for relu, [-1, 1] for relu_n1_to_1, [0, 6] for relu6 and [0, 1] for relu_0_to_1.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = nn.relu relu_n1_to_1 %x : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_ActivationAttr : EnumAttr<Nn_Dialect, Nn_ActivationKind, "activation">;

class Nn_KindAttr<I32EnumAttr kind, string mnemonic> : EnumAttr<Nn_Dialect, kind, mnemonic>;

class Nn_Kind<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}

def Nn_UnaryKind : Nn_Kind<"UnaryKind", "function of one number", [
    I32EnumAttrCase<"Abs", 0, "abs">,
    I32EnumAttrCase<"Neg", 1, "neg">,
    I32EnumAttrCase<"Exp", 2, "exp">,
    I32EnumAttrCase<"Log", 3, "log">,
    I32EnumAttrCase<"Sqrt", 4, "sqrt">,
    I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
    I32EnumAttrCase<"Sin", 6, "sin">,
    I32EnumAttrCase<"Floor", 7, "floor">,
    I32EnumAttrCase<"Elu", 8, "elu">,
    I32EnumAttrCase<"HardSwish", 9, "hard_swish">,
    I32EnumAttrCase<"LogicalNot", 10, "logical_not">,
    I32EnumAttrCase<"Cos", 11, "cos">,
    I32EnumAttrCase<"Ceil", 12, "ceil">,
    I32EnumAttrCase<"Round", 13, "round">,
    I32EnumAttrCase<"Sign", 14, "sign">,
    I32EnumAttrCase<"Square", 15, "square">,
    I32EnumAttrCase<"Gelu", 16, "gelu">,
    I32EnumAttrCase<"GeluTanh", 17, "gelu_tanh">,
    I32EnumAttrCase<"LeakyRelu", 18, "leaky_relu">
  ]> {
  let description = [{
    `neg` is the negative, `rsqrt` the reciprocal of the square root. `round` rounds halves to even numbers. `gelu` is
    `x * P(X <= x)` for a standard normal X, `gelu_tanh` its approximation by a hyperbolic tangent. `logical_not` takes
    truth values, the other kinds numbers.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = nn.unary hard_swish %x : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
  }];
}
def Nn_UnaryKindAttr : Nn_KindAttr<Nn_UnaryKind, "unary_kind">;

def Nn_BinaryKind : Nn_Kind<"BinaryKind", "function of two numbers", [
    I32EnumAttrCase<"Atan2", 0, "atan2">,
    I32EnumAttrCase<"FloorDiv", 1, "floor_div">,
    I32EnumAttrCase<"FloorMod", 2, "floor_mod">,
    I32EnumAttrCase<"SquaredDifference", 3, "squared_difference">,
    I32EnumAttrCase<"BitwiseXor", 4, "bitwise_xor">,
    I32EnumAttrCase<"RightShift", 5, "right_shift">
  ]> {
  let description = [{
    `atan2` is the angle of the point (second, first) in radians. `floor_div` is the quotient rounded downwards,
    `floor_mod` the rest, which has the sign of the divisor. `right_shift` copies the sign bit of signed numbers.

    ```mlir
    func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
      %z = nn.binary right_shift %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      return %z : tensor<4xi32>
    }
    ```
  }];
}
def Nn_BinaryKindAttr : Nn_KindAttr<Nn_BinaryKind, "binary_kind">;

def Nn_CompareKind : Nn_Kind<"CompareKind", "relation of two numbers", [
    I32EnumAttrCase<"Equal", 0, "equal">,
    I32EnumAttrCase<"NotEqual", 1, "not_equal">,
    I32EnumAttrCase<"Less", 2, "less">,
    I32EnumAttrCase<"LessEqual", 3, "less_equal">,
    I32EnumAttrCase<"Greater", 4, "greater">,
    I32EnumAttrCase<"GreaterEqual", 5, "greater_equal">
  ]> {
  let description = [{
    Read from left to right: `less` is true if the first operand is less than the second.

    ```mlir
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
      %z = nn.compare greater_equal %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %z : tensor<4xi1>
    }
    ```
  }];
}
def Nn_CompareKindAttr : Nn_KindAttr<Nn_CompareKind, "compare_kind">;

def Nn_LogicalKind : Nn_Kind<"LogicalKind", "function of two truth values", [
    I32EnumAttrCase<"And", 0, "and">,
    I32EnumAttrCase<"Or", 1, "or">
  ]> {
  let description = [{
    The function that `nn.logical` applies to each pair of elements.

    ```mlir
    func.func @main(%x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
      %z = nn.logical or %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      return %z : tensor<4xi1>
    }
    ```
  }];
}
def Nn_LogicalKindAttr : Nn_KindAttr<Nn_LogicalKind, "logical_kind">;

def Nn_ReduceKind : Nn_Kind<"ReduceKind", "what becomes of the elements along an axis", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"All", 4, "all">,
    I32EnumAttrCase<"Any", 5, "any">
  ]> {
  let description = [{
    `all` and `any` reduce truth values; the other kinds reduce numbers.

    ```mlir
    func.func @main(%x: tensor<2x3xi1>) -> tensor<2xi1> {
      %y = nn.reduce any %x axes [1] : (tensor<2x3xi1>) -> tensor<2xi1>
      return %y : tensor<2xi1>
    }
    ```
  }];
}
def Nn_ReduceKindAttr : Nn_KindAttr<Nn_ReduceKind, "reduce_kind">;

def Nn_ArgReduceKind : Nn_Kind<"ArgReduceKind", "which element of an axis is looked for", [
    I32EnumAttrCase<"Max", 0, "max">,
    I32EnumAttrCase<"Min", 1, "min">
  ]> {
  let description = [{
    Whether `nn.arg_reduce` searches for the largest or the smallest element.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2xi32> {
      %y = nn.arg_reduce max %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi32>
      return %y : tensor<2xi32>
    }
    ```
  }];
}
def Nn_ArgReduceKindAttr : Nn_KindAttr<Nn_ArgReduceKind, "arg_reduce_kind">;

/// `activation`: none unless given. Bounds are real numbers; a quantised result rounds them to its own scale.
def Nn_FusedActivation
    : DefaultValuedAttr<Nn_ActivationAttr, "::avocet::compiler::nn::Activation::None">;

/// Two positive numbers, height first; 1 unless given.
def Nn_Pair : DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>{1, 1}">;

/// Padding of a window: [top, bottom, left, right] rows and columns.
def Nn_Padding : DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>{0, 0, 0, 0}">;

#endif // AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD
