//===- NnPoolOps.td - Pools -----------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNPOOLOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNPOOLOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

class Nn_PoolOp<string mnemonic, dag extra = (ins), string extraFormat = ""> : Nn_Op<mnemonic> {
  let rows = "keepRows(open, {0})";
  let shapes = "poolShape(shapeOf(op.getInput()), op.getKernel(), op.getStride(), op.getPad(), errors)";
  let arguments = !con((ins Nn_Real:$input, DenseI64ArrayAttr:$kernel, Nn_Pair:$stride, Nn_Padding:$pad,
                            Nn_FusedActivation:$activation), extra);
  let results = (outs Nn_Real:$output);
  let assemblyFormat = [{
    $input `kernel` $kernel (`stride` $stride^)? (`pad` $pad^)? (`activation` `` $activation^)? }] # extraFormat # [{
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Nn_AveragePool2dOp : Nn_PoolOp<"average_pool_2d", (ins UnitAttr:$centered), "(`centered` $centered^)?"> {
  let names = Nn_Names<"AVERAGE_POOL_2D", "AVERAGE_POOL_2D", "AveragePool", "avg_pool2d">;
  let work = "poolWork(WorkKind::AveragePool, *this, getKernel(), getStride())";
  let summary = "mean over a window";
  let description = [{
    Padding is not counted. Integer means round half away from zero; input and output have one type, so stored values
    are averaged directly. `centered`: 128 is subtracted from unsigned values for averaging, so that halves round as in
    the signed form of the network.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    func.func @main(%x: tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x> {
      %y = nn.average_pool_2d %x kernel [3, 3] stride [2, 2] pad [0, 1, 0, 1]
          : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
      return %y : tensor<1x2x2x2x!x>
    }
    ```
  }];
}

def Nn_MaxPool2dOp : Nn_PoolOp<"max_pool_2d"> {
  let names = Nn_Names<"MAX_POOL_2D", "MAX_POOL_2D", "MaxPool", "max_pool2d">;
  let work = "poolWork(WorkKind::MaxPool, *this, getKernel(), getStride())";
  let summary = "maximum over a window; padding is never the maximum";
  let description = [{
    Only elements inside the input take part.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    func.func @main(%x: tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x> {
      %y = nn.max_pool_2d %x kernel [2, 2] stride [2, 2] activation relu6
          : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
      return %y : tensor<1x2x2x2x!x>
    }
    ```
  }];
}

def Nn_L2Pool2dOp : Nn_PoolOp<"l2_pool_2d"> {
  let names = Nn_Names<"L2_POOL_2D", "L2_POOL_2D", "LpPool">;
  let work = "poolWork(WorkKind::AveragePool, *this, getKernel(), getStride())";
  let summary = "root of the mean square over a window; floats only, padding is not counted";
  let description = [{
    The mean is over the elements of the window that are inside the input.

    ```mlir
    func.func @main(%x: tensor<1x4x4x2xf16>) -> tensor<1x2x2x2xf16> {
      %y = nn.l2_pool_2d %x kernel [2, 2] stride [2, 2] : (tensor<1x4x4x2xf16>) -> tensor<1x2x2x2xf16>
      return %y : tensor<1x2x2x2xf16>
    }
    ```
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNPOOLOPS_TD
