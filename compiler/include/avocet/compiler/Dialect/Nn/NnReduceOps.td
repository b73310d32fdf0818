//===- NnReduceOps.td - Reductions of axes ---------- -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNREDUCEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNREDUCEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// `axes` are sorted, unique and not negative. The result lacks them; with `keep_dims` they have extent 1.
class Nn_ReductionOp<string mnemonic> : Nn_Op<mnemonic> {
  let rows = "keepRowsBeside(open, getAxes())";
  let merge = "mergeReduction(*this)";
  let layout = "layoutReduction(*this)";
  let shapes = "reducedShape(shapeOf(op.getInput()), op.getAxes(), op.getKeepDims(), errors)";
  let hasVerifier = 1;
}

def Nn_MeanOp : Nn_ReductionOp<"mean"> {
  let names = Nn_Names<"MEAN", "MEAN", "ReduceMean">;
  let work = "meanWork(*this)";
  let summary = "mean over whole axes";
  let description = [{
    Unlike an average pool it may change the scale. Means of i32 and i64 are rounded towards zero. Those of 8-bit numbers
    may list a multiplier of the sums, which divides them too, with numerics `double_round` or `even_round`.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !y = !quant.uniform<i8:f32, 0.25:4>
    func.func @main(%x: tensor<1x4x4x2x!x>) -> tensor<1x2x!y> {
      %y = nn.mean %x axes [1, 2] : (tensor<1x4x4x2x!x>) -> tensor<1x2x!y>
      return %y : tensor<1x2x!y>
    }
    ```
  }];
  let arguments = (ins Nn_TensorOf<[F32, F16, I32, I64, Nn_PerTensor8, Nn_Symmetric16]>:$input,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keepDims, Nn_Rescaling:$numerics);
  let results = (outs Nn_TensorOf<[F32, F16, I32, I64, Nn_PerTensor8, Nn_Symmetric16]>:$output);
  let assemblyFormat = [{
    $input `axes` $axes (`keep_dims` $keepDims^)? (`numerics` `` $numerics^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Nn_ReduceOp : Nn_ReductionOp<"reduce"> {
  let summary = "combines all elements along some axes into one";
  let description = [{
    `sum` and `prod` support floats (in f32), i32 and i64 (which wrap around), `max` and `min` numbers of one type, `all`
    and `any` truth values. `sum` of 8-bit quantized numbers may have
    another scale; if scale and zero point stay, it is the sum of the stored values, which wraps around (as in TFLite).
    So is that of 16-bit quantized numbers, which have one scale. `prod` of signed quantized numbers is rescaled after
    each factor, in fixed point. For means see nn.mean.

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
      %y = nn.reduce max %x axes [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Scalar:$input, Nn_ReduceKindAttr:$kind, DenseI64ArrayAttr:$axes, UnitAttr:$keepDims);
  let results = (outs Nn_Scalar:$output);
  let assemblyFormat = [{
    `` $kind $input `axes` $axes (`keep_dims` $keepDims^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Nn_ArgReduceOp : Nn_Op<"arg_reduce"> {
  let work = "vectorWork(*this, /*instructions=*/2)";
  let rows = "keepRowsBeside(open, {static_cast<int64_t>(getAxis())})";
  let merge = "mergeArgReduction(*this)";
  let layout = "layoutReduction(*this)";
  let shapes = "reducedShape(shapeOf(op.getInput()), {static_cast<int64_t>(op.getAxis())}, op.getKeepDims(), errors)";
  let summary = "index of the largest or smallest element along an axis";
  let description = [{
    The first of equal elements. The result lacks the axis; with `keep_dims` it has extent 1.

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x4xi32> {
      %y = nn.arg_reduce min %x axis 1 : (tensor<2x3x4xf32>) -> tensor<2x4xi32>
      return %y : tensor<2x4xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Number:$input, Nn_ArgReduceKindAttr:$kind, I64Attr:$axis, UnitAttr:$keepDims);
  let results = (outs Nn_Integer:$output);
  let assemblyFormat = [{
    `` $kind $input `axis` $axis (`keep_dims` $keepDims^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNREDUCEOPS_TD
