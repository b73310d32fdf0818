//===- NnShapeOps.td - Constants and changes of shape ------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNSHAPEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNSHAPEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_ConstantOp : Nn_Op<"constant"> {
  let summary = "tensor whose elements are known";
  let description = [{
    `value` holds the stored elements, row-major and little-endian; for a quantised result its element type is the
    signless integer of the storage width and the result type follows after `as`.

    ```mlir
    %w = nn.constant dense_resource<buffer7> : tensor<16x1x1x8xi8> as tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>
    %b = nn.constant dense<0> : tensor<16xi32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_Data:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Nn_ReshapeOp : Nn_Op<"reshape"> {
  let summary = "the same elements in the same order under another shape";
  let arguments = (ins Nn_Movable:$input);
  let results = (outs Nn_Movable:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_PadOp : Nn_Op<"pad"> {
  let summary = "elements that stand for zero around a tensor";
  let description = "`low` and `high` have one entry per axis. Input and output have one element type.";
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$input `low` $low `high` $high attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ConcatenationOp : Nn_Op<"concatenation"> {
  let summary = "tensors one after the other along an axis";
  let description = "All inputs and the result have one element type.";
  let arguments = (ins Variadic<Nn_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNSHAPEOPS_TD
