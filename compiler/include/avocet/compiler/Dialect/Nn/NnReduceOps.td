//===- NnReduceOps.td - Reductions of axes ---------- -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNREDUCEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNREDUCEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_ReduceOp : Nn_Op<"reduce"> {
  let summary = "combines all elements along some axes into one";
  let description = [{
    `axes` are sorted, unique and not negative. The result either keeps them with extent 1 or drops them; if all axes
    are dropped, it is one element of rank 0 or 1. `sum` and `prod` support floats (in f32), i32 and i64 (which wrap
    around), `max` and `min` numbers of one type, `all` and `any` truth values. `sum` of 8-bit quantised numbers may have
    another scale; if scale and zero point stay, it is the sum of the stored values, which wraps around (as in TFLite).
    So is that of 16-bit quantised numbers, which have one scale. `prod` of signed quantised numbers is rescaled after
    each factor, in fixed point. For means see nn.mean.

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
      %y = nn.reduce max %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Scalar:$input, Nn_ReduceKindAttr:$kind, DenseI64ArrayAttr:$axes);
  let results = (outs Nn_Scalar:$output);
  let assemblyFormat = "`` $kind $input `axes` $axes attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_ArgReduceOp : Nn_Op<"arg_reduce"> {
  let summary = "index of the largest or smallest element along an axis";
  let description = [{
    The first of equal elements. The axis is dropped; dropping the only axis leaves rank 0 or 1.

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x4xi32> {
      %y = nn.arg_reduce min %x axis 1 : (tensor<2x3x4xf32>) -> tensor<2x4xi32>
      return %y : tensor<2x4xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Number:$input, Nn_ArgReduceKindAttr:$kind, I64Attr:$axis);
  let results = (outs Nn_Integer:$output);
  let assemblyFormat = "`` $kind $input `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNREDUCEOPS_TD
