//===- NnScatterOps.td - Slices at coordinates -------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on slices of a tensor whose coordinates are run-time data.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNSCATTEROPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNSCATTEROPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_Coordinates : Nn_TensorOf<[I32]>;

def Nn_GatherNdOp : Nn_TypedOp<"gather_nd"> {
  let names = Nn_Names<"GATHER_ND", "", "GatherND">;
  let shapes = "slicesShape(shapeOf(op.getInput()), shapeOf(op.getIndices()), errors)";
  let elements = "elementOf(op.getInput())";
  let work = "moveWork()";
  let summary = "slices at coordinates";
  let description = [{
    The last axis of `indices` holds coordinates on the first axes of the input; their slice replaces it. A coordinate
    outside of its axis selects the nearest slice.

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>, %i: tensor<5x2xi32>) -> tensor<5x4xf32> {
      %y = nn.gather_nd %x at %i : (tensor<2x3x4xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
      return %y : tensor<5x4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, Nn_Coordinates:$indices);
  let results = (outs Nn_Movable:$output);
  let assemblyFormat = "$input `at` $indices attr-dict `:` functional-type(operands, results)";
}

def Nn_ScatterKind : I32EnumAttr<"ScatterKind", "how a slice changes the one that it meets", [
    Nn_Case<"Set", 0, "set", Nn_Names<"SCATTER_ND", "", "ScatterND">>,
    Nn_Case<"Sum", 1, "sum", Nn_Names<"SEGMENT_SUM UNSORTED_SEGMENT_SUM", "", "ScatterND">>,
    Nn_Case<"Product", 2, "product", Nn_Names<"UNSORTED_SEGMENT_PROD", "", "ScatterND">>,
    Nn_Case<"Max", 3, "max", Nn_Names<"UNSORTED_SEGMENT_MAX", "", "ScatterND">>,
    Nn_Case<"Min", 4, "min", Nn_Names<"UNSORTED_SEGMENT_MIN", "", "ScatterND">>
  ]> {
  let description = [{
    Replaces it, or combines with it element by element. Sums and products of integers wrap.

    ```mlir
    func.func @main(%x: tensor<2x4xi32>, %i: tensor<5x1xi32>, %u: tensor<5x4xi32>) -> tensor<2x4xi32> {
      %y = nn.scatter_nd sum %x at %i, %u : (tensor<2x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<2x4xi32>
      return %y : tensor<2x4xi32>
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_ScatterKindAttr : EnumAttr<Nn_Dialect, Nn_ScatterKind, "scatter_kind">;

def Nn_ScatterNdOp : Nn_TypedOp<"scatter_nd"> {
  let shapes = "scatteredShape(shapeOf(op.getTable()), shapeOf(op.getIndices()), shapeOf(op.getUpdates()), errors)";
  let elements = "elementOf(op.getTable())";
  let summary = "a tensor with slices combined into it";
  let description = [{
    The last axis of `indices` holds coordinates on the first axes of the table; `updates` has a slice for each, which
    are combined in order. One with a coordinate outside of its axis has no effect.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    func.func @main(%x: tensor<2x3x4x!x>, %i: tensor<5x2xi32>, %u: tensor<5x4x!x>) -> tensor<2x3x4x!x> {
      %y = nn.scatter_nd set %x at %i, %u : (tensor<2x3x4x!x>, tensor<5x2xi32>, tensor<5x4x!x>) -> tensor<2x3x4x!x>
      return %y : tensor<2x3x4x!x>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$table, Nn_Coordinates:$indices, Nn_Movable:$updates, Nn_ScatterKindAttr:$kind);
  let results = (outs Nn_Movable:$output);
  let assemblyFormat = [{
    `` $kind $table `at` $indices `,` $updates attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNSCATTEROPS_TD
