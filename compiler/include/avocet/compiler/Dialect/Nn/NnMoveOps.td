//===- NnMoveOps.td - Operations that move elements --------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These operations only move elements: input and result have one element type and the same stored values. Exchanging
// space with channels or batches, and shuffling channels, are reshapes and transposes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

class Nn_MoveOp<string mnemonic> : Nn_Op<mnemonic> {
  let work = "moveWork()";
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

def Nn_SliceOp : Nn_MoveOp<"slice"> {
  let summary = "every n-th element along each axis";
  let description = [{
    Element `i` along an axis is element `begin + i * stride` of the input; the result's shape gives their number.
    Strides are not 0 and may be negative; all elements are inside the input.
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$input `begin` $begin `strides` $strides attr-dict `:` functional-type(operands, results)";
}

def Nn_TileOp : Nn_MoveOp<"tile"> {
  let summary = "the input, repeated along each axis";
  let description = "`multiples` has one entry for each axis, at least 1.";
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$multiples);
  let assemblyFormat = "$input `multiples` $multiples attr-dict `:` functional-type(operands, results)";
}

def Nn_PadOp : Nn_MoveOp<"pad"> {
  let summary = "elements of one value around a tensor";
  let description = [{
    `low` and `high` have one entry for each axis. Without `value` the new elements represent the real number zero. With
    it they are `value`: a real number for floats, the stored integer for all other types.
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, OptionalAttr<F64Attr>:$value);
  let assemblyFormat = [{
    $input `low` $low `high` $high (`value` $value^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_ConcatenationOp : Nn_MoveOp<"concatenation"> {
  let summary = "tensors one after the other along an axis";
  let description = "All inputs have the extents of the result, except along the axis, where they add up to it.";
  let arguments = (ins Variadic<Nn_Movable>:$inputs, I64Attr:$axis);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` functional-type(operands, results)";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD
