//===- NnQuantOps.td - Changes of quantisation -------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNQUANTOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNQUANTOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_QuantizeOp : Nn_Op<"quantize"> {
  let summary = "the nearest values of a quantised type";
  let description = [{
    From f32: `round(x / scale) + zero point`, halves away from zero, clamped. From a quantised type: the rescale by
    the quotient of the scales in fixed point.
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_DequantizeOp : Nn_Op<"dequantize"> {
  let summary = "the real numbers that quantised values stand for";
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNQUANTOPS_TD
