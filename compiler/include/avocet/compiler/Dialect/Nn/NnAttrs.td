//===- NnAttrs.td - Attributes of the nn dialect -----------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD

include "avocet/compiler/Dialect/Nn/NnDialect.td"
include "avocet/compiler/Dialect/Nn/NnNames.td"
include "avocet/compiler/Dialect/Nn/NnTypes.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Nn_ActivationAttr : AttrDef<Nn_Dialect, "Activation"> {
  let mnemonic = "activation";
  let summary = "clamp that follows an operation";
  let description = [{
    The bounds are real numbers: `from -2.0 to 3.5`, or one of them. Those of the graph formats have names: `relu` is
    `from 0.0`, `relu_n1_to_1` is `from -1.0 to 1.0`, `relu6` is `from 0.0 to 6.0`, `relu_0_to_1` is
    `from 0.0 to 1.0`, and `none` has no bound.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = nn.clamp relu_n1_to_1 %x : (tensor<4xf32>) -> tensor<4xf32>
      %z = nn.clamp from -0.5 to 20.0 %y : (tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    ```
  }];
  let parameters = (ins APFloatParameter<"not above the other">:$low, APFloatParameter<"an infinity is no bound">:$high);
  let builders = [AttrBuilder<(ins "::avocet::compiler::nn::Activation":$value), [{
    return $_get($_ctxt, ::llvm::APFloat(value.low), ::llvm::APFloat(value.high));
  }]>];
  let extraClassDeclaration = [{
    ::avocet::compiler::nn::Activation getValue() const {
      return {getLow().convertToFloat(), getHigh().convertToFloat()};
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  // Operations have it as its value.
  let returnType = "::avocet::compiler::nn::Activation";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::avocet::compiler::nn::ActivationAttr::get($_builder.getContext(), $0)";
}

class Nn_KindAttr<I32EnumAttr kind, string mnemonic> : EnumAttr<Nn_Dialect, kind, mnemonic>;

class Nn_Kind<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}

def Nn_UnaryKind : Nn_Kind<"UnaryKind", "function of one number", [
    Nn_Case<"Abs", 0, "abs", Nn_Names<"ABS", "ABS", "Abs", "abs", Nn_Both>, Nn_Tabled # Nn_Counts # [Nn_Symmetric16]>,
    Nn_Case<"Neg", 1, "neg", Nn_Names<"NEG", "NEG", "Neg", "negate", Nn_Both>, Nn_Floats # Nn_Counts>,
    Nn_Case<"Exp", 2, "exp", Nn_Names<"EXP", "EXP", "Exp", "exp", ["nnapi"]>, Nn_Tabled>,
    Nn_Case<"Log", 3, "log", Nn_Names<"LOG", "LOG", "Log", "log", ["nnapi"]>, Nn_Tabled>,
    Nn_Case<"Sqrt", 4, "sqrt", Nn_Names<"SQRT", "SQRT", "Sqrt", "", ["nnapi"]>, Nn_Tabled>,
    Nn_Case<"Rsqrt", 5, "rsqrt", Nn_Names<"RSQRT", "RSQRT", "", "rsqrt", ["nnapi"]>, Nn_Tabled>,
    Nn_Case<"Sin", 6, "sin", Nn_Names<"SIN", "SIN", "Sin", "sin", Nn_Both>, Nn_Floats>,
    Nn_Case<"Floor", 7, "floor", Nn_Names<"FLOOR", "FLOOR", "Floor", "floor", Nn_Both>, Nn_Floats>,
    Nn_Case<"Elu", 8, "elu", Nn_Names<"ELU", "ELU", "Elu", "", ["tflite"]>, Nn_Tabled>,
    Nn_Case<"HardSwish", 9, "hard_swish", Nn_Names<"HARD_SWISH", "HARD_SWISH", "HardSwish", "", Nn_Both>, Nn_Tabled>,
    Nn_Case<"LogicalNot", 10, "logical_not",
            Nn_Names<"LOGICAL_NOT", "LOGICAL_NOT", "Not", "logical_not", Nn_Both>, [I1]>,
    Nn_Case<"Cos", 11, "cos", Nn_Names<"COS", "", "Cos", "cos", ["tflite"]>, Nn_Floats>,
    Nn_Case<"Ceil", 12, "ceil", Nn_Names<"CEIL", "", "Ceil", "ceil", ["tflite"]>, Nn_Floats>,
    Nn_Case<"Round", 13, "round", Nn_Names<"ROUND", "", "Round", "", ["tflite"]>, Nn_Floats>,
    Nn_Case<"Sign", 14, "sign", Nn_Names<"SIGN", "", "Sign", "", ["tflite"]>, Nn_Floats # Nn_Counts>,
    Nn_Case<"Square", 15, "square", Nn_Names<"SQUARE", "", "", "", ["tflite"]>, Nn_Floats # Nn_Counts>,
    Nn_Case<"Gelu", 16, "gelu", Nn_Names<"GELU", "", "Gelu">, Nn_Tabled>,
    Nn_Case<"GeluTanh", 17, "gelu_tanh", Nn_Names<"GELU", "", "Gelu">, Nn_Tabled>,
    Nn_Case<"LeakyRelu", 18, "leaky_relu", Nn_Names<"LEAKY_RELU", "", "LeakyRelu">, Nn_Tabled # [Nn_Symmetric16]>,
    Nn_Case<"Erf", 19, "erf", Nn_Names<"", "", "Erf", "erf">, Nn_Floats>,
    Nn_Case<"Swish", 20, "swish", Nn_Names<"", "", "Swish">, Nn_Floats>,
    Nn_Case<"HardSigmoid", 21, "hard_sigmoid", Nn_Names<"", "", "HardSigmoid">, Nn_Floats>,
    Nn_Case<"LeadingZeros", 22, "leading_zeros", Nn_Names<"", "", "", "clz">, Nn_Counts>
  ]> {
  let description = [{
    `neg` is the negative, `rsqrt` the reciprocal of the square root. `round` rounds halves to even numbers. `gelu` is
    `x * P(X <= x)` for a standard normal X, `gelu_tanh` its approximation by a hyperbolic tangent. `erf` is the error function, `swish`
    is `x * logistic(x)`. `leading_zeros` counts the bits above the highest one that is set. `logical_not` takes truth
    values, the other kinds numbers.

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
    Nn_Case<"Atan2", 0, "atan2", Nn_Names<"ATAN2", "", "", "", ["tflite"]>, Nn_Floats>,
    Nn_Case<"FloorDiv", 1, "floor_div", Nn_Names<"FLOOR_DIV", "", "", "", ["tflite"]>, Nn_Floats # Nn_PlainIntegers>,
    Nn_Case<"FloorMod", 2, "floor_mod", Nn_Names<"FLOOR_MOD", "", "Mod", "", ["tflite"]>, Nn_Floats # Nn_PlainIntegers>,
    Nn_Case<"SquaredDifference", 3, "squared_difference",
            Nn_Names<"SQUARED_DIFFERENCE", "", "", "", ["tflite"]>, Nn_Floats # [I32, I64, Nn_Signed8]>,
    Nn_Case<"BitwiseXor", 4, "bitwise_xor",
            Nn_Names<"BITWISE_XOR", "", "BitwiseXor", "bitwise_xor", ["tflite"]>, Nn_PlainIntegers>,
    Nn_Case<"RightShift", 5, "right_shift",
            Nn_Names<"RIGHT_SHIFT", "", "BitShift", "arithmetic_right_shift", ["tflite"]>, Nn_PlainIntegers>,
    Nn_Case<"Hypot", 6, "hypot", Nn_Names<"COMPLEX_ABS">, Nn_Floats>,
    Nn_Case<"BitwiseAnd", 7, "bitwise_and", Nn_Names<"", "", "BitwiseAnd", "bitwise_and">, Nn_PlainIntegers>,
    Nn_Case<"BitwiseOr", 8, "bitwise_or", Nn_Names<"", "", "BitwiseOr", "bitwise_or">, Nn_PlainIntegers>,
    Nn_Case<"LeftShift", 9, "left_shift", Nn_Names<"", "", "BitShift", "logical_left_shift">, Nn_PlainIntegers>,
    Nn_Case<"LogicalRightShift", 10, "logical_right_shift",
            Nn_Names<"", "", "", "logical_right_shift">, Nn_PlainIntegers>,
    Nn_Case<"RoundingRightShift", 11, "rounding_right_shift",
            Nn_Names<"", "", "", "arithmetic_right_shift">, Nn_PlainIntegers>
  ]> {
  let description = [{
    `atan2` is the angle of the point (second, first) in radians. `floor_div` is the quotient rounded downwards,
    `floor_mod` the rest, which has the sign of the divisor. `right_shift` copies the sign bit of signed numbers, and
    `rounding_right_shift` adds the last bit that it shifts out. `left_shift` and `logical_right_shift` insert zeros.
    `hypot` is the square root of the sum of the squares, which overflows only if the result does.

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
    Nn_Case<"Equal", 0, "equal", Nn_Names<"EQUAL", "EQUAL", "Equal", "equal", ["nnapi"]>>,
    Nn_Case<"NotEqual", 1, "not_equal", Nn_Names<"NOT_EQUAL", "NOT_EQUAL", "", "", ["nnapi"]>>,
    Nn_Case<"Less", 2, "less", Nn_Names<"LESS", "LESS", "Less", "", ["nnapi"]>>,
    Nn_Case<"LessEqual", 3, "less_equal", Nn_Names<"LESS_EQUAL", "LESS_EQUAL", "LessOrEqual", "", ["nnapi"]>>,
    Nn_Case<"Greater", 4, "greater", Nn_Names<"GREATER", "GREATER", "Greater", "greater", ["nnapi"]>>,
    Nn_Case<"GreaterEqual", 5, "greater_equal",
            Nn_Names<"GREATER_EQUAL", "GREATER_EQUAL", "GreaterOrEqual", "greater_equal", ["nnapi"]>>
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
    Nn_Case<"And", 0, "and", Nn_Names<"LOGICAL_AND", "LOGICAL_AND", "And", "logical_and", Nn_Both>>,
    Nn_Case<"Or", 1, "or", Nn_Names<"LOGICAL_OR", "LOGICAL_OR", "Or", "logical_or", Nn_Both>>
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
    Nn_Case<"Sum", 0, "sum", Nn_Names<"SUM", "REDUCE_SUM", "ReduceSum", "reduce_sum">>,
    Nn_Case<"Prod", 1, "prod", Nn_Names<"REDUCE_PROD", "REDUCE_PROD", "ReduceProd", "reduce_product">>,
    Nn_Case<"Max", 2, "max", Nn_Names<"REDUCE_MAX", "REDUCE_MAX", "ReduceMax", "reduce_max">>,
    Nn_Case<"Min", 3, "min", Nn_Names<"REDUCE_MIN", "REDUCE_MIN", "ReduceMin", "reduce_min">>,
    Nn_Case<"All", 4, "all", Nn_Names<"REDUCE_ALL", "REDUCE_ALL", "", "reduce_all">>,
    Nn_Case<"Any", 5, "any", Nn_Names<"REDUCE_ANY", "REDUCE_ANY", "", "reduce_any">>
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
    Nn_Case<"Max", 0, "max", Nn_Names<"ARG_MAX", "ARGMAX", "ArgMax", "argmax">>,
    Nn_Case<"Min", 1, "min", Nn_Names<"ARG_MIN", "ARGMIN", "ArgMin">>
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

def Nn_NumericsKind : Nn_Kind<"Numerics", "how sums become stored numbers", [
    I32EnumAttrCase<"Tflite", 0, "tflite">,
    I32EnumAttrCase<"FloatScales", 1, "float_scales">,
    I32EnumAttrCase<"ShiftScales", 2, "shift_scales">,
    I32EnumAttrCase<"SingleRound", 3, "single_round">,
    I32EnumAttrCase<"DoubleRound", 4, "double_round">,
    I32EnumAttrCase<"HalfEven", 5, "half_even">,
    I32EnumAttrCase<"EvenRound", 6, "even_round">
  ]> {
  let description = [{
    The kinds of the attribute `numerics`, which says what each is. `single_round`, `double_round` and `even_round` have
    lists of multipliers and shifts after them.

    ```mlir
    func.func @main(%x: tensor<4xi32>) -> tensor<4xi8> {
      %y = nn.rescale %x numerics double_round [1073741824] >> [38] : (tensor<4xi32>) -> tensor<4xi8>
      return %y : tensor<4xi8>
    }
    ```
  }];
}

/// The operations list the kinds that they have.
def Nn_NumericsAttr : AttrDef<Nn_Dialect, "Numerics"> {
  let mnemonic = "numerics";
  let summary = "how sums become stored numbers of a quantized result";
  let description = [{
    `tflite` multiplies with 31 bits of the ratio of the scales and shifts right; both round halves away from zero, as in
    TensorFlow Lite. Its convolutions multiply the scales of input and int8 filter in double.

    `float_scales` is `tflite` with that product in float, as for uint8 filters: the signed and the unsigned form of a
    network have the same multipliers.

    `shift_scales` adds 16-bit numbers whose scales are powers of two, one input scale that of the result and the other
    not larger: that input is shifted right with halves away from zero, and the sum saturates (TFLite's
    `pot_scale_int16`).

    `single_round`, `double_round` and `even_round` are explicit: they list multipliers m (0 to 2^31 - 1) and right
    shifts s (2 to 62), and a number v becomes `v * m >> s`. The scales of the types do not count then, only their zero points do, and the
    scale of the result for the bounds of an activation. `single_round` adds 2^(s - 1) before the shift: halves are
    rounded upwards. `double_round` rounds twice where s is above 31, as `tflite` does: the product is shifted by 31 with
    halves upwards, and then by s - 31 with halves away from zero. `even_round` rounds once, halves to the even number, as
    ONNX does. v lies between -2^(s - 1) and 2^(s - 1) - 1; the results of other numbers are defined by the device, and not by
    the network. Sums may shift the numbers of their operands to the left first: `left 20`, as TensorFlow Lite does.

    `half_even` is how `nn.quantize` makes integers of floats in ONNX: the quotient in float, rounded once to the nearest
    integer, halves to the even one.

    ```mlir
    !x = !quant.uniform<i16:f32, 0.5>
    func.func @main(%x: tensor<4x!x>, %i: tensor<2x2xi32>) -> (tensor<4x!x>, tensor<2x2xi8>) {
      %y = nn.add %x, %x numerics shift_scales : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
      %z = nn.rescale %i numerics single_round [1073741824, 5] >> [38, 30] : (tensor<2x2xi32>) -> tensor<2x2xi8>
      return %y, %z : tensor<4x!x>, tensor<2x2xi8>
    }
    ```
  }];
  let parameters = (ins "::avocet::compiler::nn::Numerics":$kind,
                        OptionalArrayRefParameter<"int32_t", "of explicit kinds">:$multipliers,
                        OptionalArrayRefParameter<"int32_t", "to the right, one for each multiplier">:$shifts,
                        DefaultValuedParameter<"int32_t", "0", "of the operands of a sum, before the products">:$left);
  let builders = [AttrBuilder<(ins "::avocet::compiler::nn::Numerics":$kind), [{
    return $_get($_ctxt, kind, ::llvm::ArrayRef<int32_t>(), ::llvm::ArrayRef<int32_t>(), 0);
  }]>, AttrBuilder<(ins "::avocet::compiler::nn::Numerics":$kind, "::llvm::ArrayRef<int32_t>":$multipliers,
                        "::llvm::ArrayRef<int32_t>":$shifts), [{
    return $_get($_ctxt, kind, multipliers, shifts, 0);
  }]>];
  let extraClassDeclaration = [{
    /// Whether the attribute lists multipliers and shifts.
    bool isExplicit() const { return hasLists(getKind()); }
    /// Whether a kind has lists.
    static bool hasLists(::avocet::compiler::nn::Numerics kind) {
      return kind == Numerics::SingleRound || kind == Numerics::DoubleRound || kind == Numerics::EvenRound;
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let constBuilderCall = "::avocet::compiler::nn::NumericsAttr::get($_builder.getContext(), $0)";
}
def Nn_Rescaling : DefaultValuedAttr<Nn_NumericsAttr, "::avocet::compiler::nn::Numerics::Tflite">;

/// `activation`: none unless given. A quantized result rounds the bounds to its own scale.
def Nn_FusedActivation
    : DefaultValuedAttr<Nn_ActivationAttr, "::avocet::compiler::nn::Activation::kNone">;

/// Two positive numbers, height first; 1 unless given.
def Nn_Pair : DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>{1, 1}">;

/// Padding of a window: [top, bottom, left, right] rows and columns.
def Nn_Padding : DefaultValuedAttr<DenseI64ArrayAttr, "::llvm::ArrayRef<int64_t>{0, 0, 0, 0}">;

#endif // AVOCET_COMPILER_DIALECT_NN_NNATTRS_TD
