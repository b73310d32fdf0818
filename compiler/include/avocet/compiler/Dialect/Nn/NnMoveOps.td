//===- NnMoveOps.td - Operations that move elements --------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements change their places and nothing else: input and result have one element type, and the same stored values.
// The exchange of space for channels or batches and the shuffle of channels are reshapes and transposes of these.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

class Nn_MoveOp<string mnemonic> : Nn_Op<mnemonic> {
  let results = (outs Nn_Movable:$output);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_TransposeOp : Nn_MoveOp<"transpose"> {
  let summary = "axes in another order";
  let description = "Axis `i` of the result is axis `permutation[i]` of the input.";
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$input `permutation` $permutation attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD
