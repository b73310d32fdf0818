//===- NnElementwiseOps.td - Operations on single elements -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNELEMENTWISEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNELEMENTWISEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// Two inputs of one storage type; shapes broadcast as in NumPy.
class Nn_PairOp<string mnemonic> : Nn_Op<mnemonic> {
  let rows = "keepBroadcastRows(*this, open)";
  let merge = "mergeElementwise(*this)";
  let layout = "layoutElementwise(*this)";
  let shapes = "broadcastShape(shapeOf(op.getLhs()), shapeOf(op.getRhs()), errors)";
  let hasVerifier = 1;
}

class Nn_ActivatedBinaryOp<string mnemonic, dag extra = (ins), string extraFormat = ""> : Nn_PairOp<mnemonic> {
  let arguments = !con((ins Nn_Number:$lhs, Nn_Number:$rhs, Nn_FusedActivation:$activation), extra);
  let results = (outs Nn_Number:$output);
  let hasFolder = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs (`activation` `` $activation^)? }] # extraFormat # [{ attr-dict `:` functional-type(operands, results)
  }];
}

class Nn_RescaledBinaryOp<string mnemonic>
    : Nn_ActivatedBinaryOp<mnemonic, (ins Nn_Rescaling:$numerics), "(`numerics` `` $numerics^)?">;

class Nn_SumOp<string mnemonic> : Nn_RescaledBinaryOp<mnemonic> {
  let work = "pairWork(WorkKind::Sum, *this)";
}
def Nn_AddOp : Nn_SumOp<"add"> {
  let names = Nn_Names<"ADD", "ADD", "Add", "add">;
  let summary = "sum";
  let description = [{
    i32 and i64 wrap around; their activation bounds are whole numbers.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = nn.add %a, %b activation relu6 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
}

def Nn_SubOp : Nn_SumOp<"sub"> {
  let names = Nn_Names<"SUB", "SUB", "Sub", "sub">;
  let summary = "difference";
  let description = [{
    The second number is subtracted from the first. i32 and i64 wrap around; their activation bounds are whole numbers.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = nn.sub %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
}

def Nn_MulOp : Nn_RescaledBinaryOp<"mul"> {
  let names = Nn_Names<"MUL", "MUL", "Mul", "mul">;
  let summary = "product";
  let description = [{
    i32 and i64 wrap around; their activation bounds are whole numbers. Operands and result may have different scales.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !y = !quant.uniform<i8:f32, 0.25:4>
    func.func @main(%a: tensor<2x3x!x>, %b: tensor<3x!y>) -> tensor<2x3x!x> {
      %y = nn.mul %a, %b : (tensor<2x3x!x>, tensor<3x!y>) -> tensor<2x3x!x>
      return %y : tensor<2x3x!x>
    }
    ```
  }];
  let work = "pairWork(WorkKind::Product, *this)";
}

def Nn_DivOp : Nn_ActivatedBinaryOp<"div"> {
  let names = Nn_Names<"DIV", "DIV", "Div", "intdiv">;
  let summary = "quotient of floats, i32, i64 or 8-bit quantized numbers";
  let description = [{
    Quotients of integers are rounded downwards, or towards zero with `truncates`; a divisor of 0 gives 0. Quantized
    quotients are computed in fixed point, as in TFLite.

    ```mlir
    func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
      %y = nn.div %a, %b truncates : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      return %y : tensor<4xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Number:$lhs, Nn_Number:$rhs, Nn_FusedActivation:$activation, UnitAttr:$truncates);
  let assemblyFormat = [{
    $lhs `,` $rhs (`activation` `` $activation^)? (`truncates` $truncates^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Nn_BinaryOp : Nn_PairOp<"binary"> {
  let summary = "a function of two numbers, with broadcasting";
  let description = [{
    The row of a kind in NnAttrs.td lists its element types. Quantized operands may have different scales.
    Integers wrap around; a divisor of 0 gives 0. The distance of a shift that copies the sign bit is
    clamped to 0 to width - 1; the other shifts give 0 beyond it.

    ```mlir
    func.func @main(%a: tensor<4xi32>, %b: tensor<1xi32>) -> tensor<4xi32> {
      %y = nn.binary floor_mod %a, %b : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
      return %y : tensor<4xi32>
    }
    ```
  }];
  let hasFolder = 1;
  let arguments = (ins Nn_Number:$lhs, Nn_Number:$rhs, Nn_BinaryKindAttr:$kind);
  let results = (outs Nn_Number:$output);
  let assemblyFormat = "`` $kind $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

/// Both inputs and the result have one type, because stored values are compared.
class Nn_SelectingOp<string mnemonic> : Nn_PairOp<mnemonic> {
  let work = "pairWork(WorkKind::Product, *this)";
  let hasFolder = 1;
  let arguments = (ins Nn_Number:$lhs, Nn_Number:$rhs);
  let results = (outs Nn_Number:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Nn_MinimumOp : Nn_SelectingOp<"minimum"> {
  let names = Nn_Names<"MINIMUM", "MINIMUM", "Min", "minimum", ["tflite"]>;
  let summary = "the smaller of two";
  let description = [{
    Compares real values; the result may have another scale.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = nn.minimum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
}
def Nn_MaximumOp : Nn_SelectingOp<"maximum"> {
  let names = Nn_Names<"MAXIMUM", "MAXIMUM", "Max", "maximum", ["tflite"]>;
  let summary = "the larger of two";
  let description = [{
    Compares real values; the result may have another scale.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = nn.maximum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
}

def Nn_PowOp : Nn_PairOp<"pow"> {
  let names = Nn_Names<"POW", "POW", "Pow", "pow", Nn_Both>;
  let summary = "the first number to the power of the second";
  let description = [{
    Both operands are floats or i32, with broadcasting. i32 wraps around; a negative exponent gives the power of the
    real numbers, rounded towards zero (0 to a negative power is 0).

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = nn.pow %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
  let hasFolder = 1;
  let arguments = (ins Nn_TensorOf<[F32, F16, I32]>:$lhs, Nn_TensorOf<[F32, F16, I32]>:$rhs);
  let results = (outs Nn_TensorOf<[F32, F16, I32]>:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Nn_PreluOp : Nn_PairOp<"prelu"> {
  let names = Nn_Names<"PRELU", "PRELU", "PRelu", "", Nn_Both>;
  let summary = "x where it is not below zero, else alpha * x";
  let description = [{
    Quantized inputs and the result may have different scales. With the attribute `nn.nearest` 8-bit results are
    rounded once, halves to the even number.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = nn.prelu %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real8:$lhs, Nn_Real8:$rhs);
  let results = (outs Nn_Real8:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

/// The result has the shape of the input.
class Nn_FunctionOp<string mnemonic> : Nn_Op<mnemonic> {
  let rows = "keepRows(open, {0})";
  let merge = "mergeElementwise(*this)";
  let layout = "layoutElementwise(*this)";
  let shapes = "commonShape({shapeOf(op.getInput())}, errors)";
  let work = "functionWork(*this)";
  let arguments = (ins Nn_Real:$input);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_UnaryOp : Nn_FunctionOp<"unary"> {
  let summary = "a function of each number";
  let description = [{
    The row of a kind in NnAttrs.td lists its element types. Integers wrap around. `elu` is
    `x < 0 ? alpha * (exp(x) - 1) : x`, `leaky_relu` is `x < 0 ? alpha * x : x`, `hard_sigmoid` is
    `alpha * x + 1/2`, clamped to 0 and 1. Quantized results are the nearest stored
    values, of `sqrt` the largest that is not above the root. Quantized reciprocal roots of x <= 0 are the largest value,
    `log` of x <= 0 is the smallest, `sqrt` of x < 0 is 0.

    ```mlir
    func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
      %y = nn.unary elu %x alpha 2.0 : (tensor<4xf16>) -> tensor<4xf16>
      return %y : tensor<4xf16>
    }
    ```
  }];
  let arguments = (ins Nn_Scalar:$input, Nn_UnaryKindAttr:$kind, DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
  let results = (outs Nn_Scalar:$output);
  let assemblyFormat = "`` $kind $input (`alpha` $alpha^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Nn_LogisticOp : Nn_FunctionOp<"logistic"> {
  let names = Nn_Names<"LOGISTIC", "LOGISTIC", "Sigmoid", "sigmoid", Nn_Both>;
  let work = "functionWork(*this, /*instructions=*/3)";
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    8-bit results have scale 1/256 and zero point -128 (signed) or 0 (unsigned), 16-bit results scale 1/32768.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !y = !quant.uniform<i8:f32, 3.906250e-03:-128>
    func.func @main(%x: tensor<4x!x>) -> tensor<4x!y> {
      %y = nn.logistic %x : (tensor<4x!x>) -> tensor<4x!y>
      return %y : tensor<4x!y>
    }
    ```
  }];
}

def Nn_TanhOp : Nn_FunctionOp<"tanh"> {
  let names = Nn_Names<"TANH", "TANH", "Tanh", "tanh", Nn_Both>;
  let summary = "hyperbolic tangent";
  let description = [{
    8-bit results have scale 1/128 and zero point 0 (signed) or 128 (unsigned), 16-bit results scale 1/32768.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !y = !quant.uniform<i8:f32, 7.812500e-03>
    func.func @main(%x: tensor<4x!x>) -> tensor<4x!y> {
      %y = nn.tanh %x : (tensor<4x!x>) -> tensor<4x!y>
      return %y : tensor<4x!y>
    }
    ```
  }];
}

def Nn_ClampOp : Nn_FunctionOp<"clamp"> {
  let names = Nn_Names<"RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1", "RELU RELU1 RELU6", "Relu Clip", "clamp">;
  let summary = "clamp to a range, possibly with a new scale";
  let description = [{
    The clamp applies to real values, before they are stored with the scale of the result.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !y = !quant.uniform<i8:f32, 0.25:4>
    func.func @main(%x: tensor<4x!x>) -> tensor<4x!y> {
      %y = nn.clamp relu6 %x : (tensor<4x!x>) -> tensor<4x!y>
      return %y : tensor<4x!y>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$input, Nn_ActivationAttr:$range);
  let assemblyFormat = "`` $range $input attr-dict `:` functional-type(operands, results)";
}

def Nn_TableOp : Nn_FunctionOp<"table"> {
  let names = Nn_Names<"", "", "", "table">;
  let summary = "a function of 8-bit numbers as a table of its results";
  let description = [{
    `entries` has the stored result for each of the 256 stored inputs, from the smallest on. Scales and zero points have
    no part in it.

    ```mlir
    func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
      %y = nn.table %x entries dense<7> : tensor<256xi8> : (tensor<4xi8>) -> tensor<4xi8>
      return %y : tensor<4xi8>
    }
    ```
  }];
  let arguments = (ins Nn_TensorOf<[I8, UI8, Nn_PerTensor8]>:$input, IntElementsAttrOf<8>:$entries);
  let results = (outs Nn_TensorOf<[I8, UI8, Nn_PerTensor8]>:$output);
  let assemblyFormat = "$input `entries` $entries attr-dict `:` functional-type(operands, results)";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNELEMENTWISEOPS_TD
