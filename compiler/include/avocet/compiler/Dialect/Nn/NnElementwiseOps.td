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
class Nn_BinaryOp<string mnemonic> : Nn_Op<mnemonic> {
  let hasVerifier = 1;
}

class Nn_ActivatedBinaryOp<string mnemonic> : Nn_BinaryOp<mnemonic> {
  let arguments = (ins Nn_Number:$lhs, Nn_Number:$rhs, Nn_FusedActivation:$activation);
  let results = (outs Nn_Number:$output);
  let description = "i32 wraps around; its activation bounds are whole numbers.";
  let assemblyFormat = [{
    $lhs `,` $rhs (`activation` `` $activation^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_AddOp : Nn_ActivatedBinaryOp<"add"> { let summary = "sum"; }
def Nn_SubOp : Nn_ActivatedBinaryOp<"sub"> { let summary = "difference"; }
def Nn_MulOp : Nn_ActivatedBinaryOp<"mul"> { let summary = "product"; }
def Nn_DivOp : Nn_ActivatedBinaryOp<"div"> {
  let summary = "quotient of floats or i32";
  let description = "Quotients of i32 are rounded downwards; a divisor of 0 gives 0.";
}

/// Both inputs and the result have one type, because stored values are compared.
class Nn_SelectingOp<string mnemonic> : Nn_BinaryOp<mnemonic> {
  let arguments = (ins Nn_Number:$lhs, Nn_Number:$rhs);
  let results = (outs Nn_Number:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Nn_MinimumOp : Nn_SelectingOp<"minimum"> {
  let summary = "the smaller of two";
  let description = "Compares real values; the result may have another scale.";
}
def Nn_MaximumOp : Nn_SelectingOp<"maximum"> {
  let summary = "the larger of two";
  let description = "Compares real values; the result may have another scale.";
}

def Nn_PowOp : Nn_BinaryOp<"pow"> {
  let summary = "the first float to the power of the second";
  let description = "Both operands are floats, with broadcasting.";
  let arguments = (ins Nn_Real:$lhs, Nn_Real:$rhs);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Nn_PreluOp : Nn_BinaryOp<"prelu"> {
  let summary = "x where it is not below zero, else alpha * x";
  let description = "Quantised inputs and the result may have different scales.";
  let arguments = (ins Nn_Real:$lhs, Nn_Real:$rhs);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

class Nn_FunctionOp<string mnemonic> : Nn_Op<mnemonic> {
  let arguments = (ins Nn_Real:$input);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_UnaryOp : Nn_Op<"unary"> {
  let summary = "a function of each number";
  let description = [{
    `abs` and `neg` support floats and i32 (which wraps around), `rsqrt` and `hard_swish` floats and quantised numbers,
    `logical_not` truth values, the others floats. `elu` is `x < 0 ? alpha * (exp(x) - 1) : x`. Quantised results are
    the nearest stored values; quantised `rsqrt` of x <= 0 is the largest value.

    ```mlir
    %1 = nn.unary elu %0 alpha 2.0 : (tensor<4xf16>) -> tensor<4xf16>
    ```
  }];
  let arguments = (ins Nn_Scalar:$input, Nn_UnaryKindAttr:$kind, DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
  let results = (outs Nn_Scalar:$output);
  let assemblyFormat = "`` $kind $input (`alpha` $alpha^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_LogisticOp : Nn_FunctionOp<"logistic"> {
  let summary = "1 / (1 + exp(-x))";
  let description = "8-bit results have scale 1/256 and zero point -128 (signed) or 0 (unsigned).";
}

def Nn_TanhOp : Nn_FunctionOp<"tanh"> {
  let summary = "hyperbolic tangent";
  let description = "8-bit results have scale 1/128 and zero point 0 (signed) or 128 (unsigned).";
}

def Nn_ReluOp : Nn_Op<"relu"> {
  let summary = "clamp to the range of an activation, possibly with a new scale";
  let description = "The clamp applies to real values, before they are stored with the scale of the result.";
  let arguments = (ins Nn_Real:$input, Nn_ActivationAttr:$kind);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = "`` $kind $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 0;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNELEMENTWISEOPS_TD
