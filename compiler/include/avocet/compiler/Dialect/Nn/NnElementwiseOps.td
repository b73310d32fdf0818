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
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs, Nn_FusedActivation:$activation);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = [{
    $lhs `,` $rhs (`activation` `` $activation^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_AddOp : Nn_ActivatedBinaryOp<"add"> { let summary = "sum"; }
def Nn_SubOp : Nn_ActivatedBinaryOp<"sub"> { let summary = "difference"; }
def Nn_MulOp : Nn_ActivatedBinaryOp<"mul"> { let summary = "product"; }

/// Both inputs and the result have one type: stored values are compared.
class Nn_SelectingOp<string mnemonic> : Nn_BinaryOp<mnemonic> {
  let arguments = (ins Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Nn_MinimumOp : Nn_SelectingOp<"minimum"> { let summary = "the smaller of two"; }
def Nn_MaximumOp : Nn_SelectingOp<"maximum"> { let summary = "the larger of two"; }

class Nn_UnaryOp<string mnemonic> : Nn_Op<mnemonic> {
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_LogisticOp : Nn_UnaryOp<"logistic"> {
  let summary = "1 / (1 + exp(-x))";
  let description = "8-bit results have scale 1/256 and zero point -128 (signed) or 0 (unsigned).";
}

def Nn_TanhOp : Nn_UnaryOp<"tanh"> {
  let summary = "hyperbolic tangent";
  let description = "8-bit results have scale 1/128 and zero point 0 (signed) or 128 (unsigned).";
}

def Nn_ReluOp : Nn_Op<"relu"> {
  let summary = "clamp to the range of an activation, possibly with a new scale";
  let arguments = (ins Nn_Tensor:$input, Nn_ActivationAttr:$kind);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "`` $kind $input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 0;
}

def Nn_SoftmaxOp : Nn_Op<"softmax"> {
  let summary = "exp(beta * x), normalised along the last axis";
  let description = "8-bit results have scale 1/256 and zero point -128 (signed) or 0 (unsigned).";
  let arguments = (ins Nn_Tensor:$input, DefaultValuedAttr<F32Attr, "1.0f">:$beta);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$input (`beta` $beta^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNELEMENTWISEOPS_TD
