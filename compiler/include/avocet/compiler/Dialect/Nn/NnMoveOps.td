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

class Nn_MoveOp<string mnemonic, string rule> : Nn_TypedOp<mnemonic> {
  let shapes = rule;
  let elements = "elementOf(op.getInput())";
  let work = "moveWork()";
  let results = (outs Nn_Movable:$output);
  let hasFolder = 1;
}

def Nn_TransposeOp : Nn_MoveOp<"transpose", "transposedShape(shapeOf(op.getInput()), op.getPermutation(), errors)"> {
  let names = Nn_Names<"TRANSPOSE", "TRANSPOSE", "Transpose", "transpose">;
  let rows = "getPermutation().empty() || getPermutation()[0] != 0 ? std::nullopt : keepRows(open, {0})";
  let merge = "mergeTranspose(*this)";
  let summary = "axes in another order";
  let description = [{
    Axis `i` of the result is axis `permutation[i]` of the input.

    ```mlir
    func.func @main(%x: tensor<1x2x3x4xf16>) -> tensor<1x3x4x2xf16> {
      %y = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x2x3x4xf16>) -> tensor<1x3x4x2xf16>
      return %y : tensor<1x3x4x2xf16>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$input `permutation` $permutation attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
}

def Nn_SliceOp
    : Nn_MoveOp<"slice", "slicedShape(shapeOf(op.getInput()), op.getBegin(), op.getSize(), op.getStrides(), errors)"> {
  let names = Nn_Names<"SLICE STRIDED_SLICE", "SLICE STRIDED_SLICE", "Slice", "slice">;
  let rows = "isWholeAlong(0) ? keepRows(open, {0}) : std::nullopt";
  let merge = "mergeSlice(*this)";
  let layout = "layoutPerAxis(*this, {\"begin\", \"size\", \"strides\"})";
  let summary = "every n-th element along each axis";
  let description = [{
    The result has `size` elements along each axis; element `i` is element `begin + i * stride` of the input. Strides are
    not 0 and may be negative; all elements are inside the input.

    ```mlir
    func.func @main(%x: tensor<4x6xi32>) -> tensor<2x3xi32> {
      %y = nn.slice %x begin [3, 1] size [2, 3] strides [-2, 2] : (tensor<4x6xi32>) -> tensor<2x3xi32>
      return %y : tensor<2x3xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$size,
                       DenseI64ArrayAttr:$strides);
  let assemblyFormat = [{
    $input `begin` $begin `size` $size `strides` $strides attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Whether the result has all elements of the axis, in order.
    bool isWholeAlong(unsigned axis) {
      return axis < getSize().size() && getSize()[axis] == getInput().getType().getDimSize(axis) &&
             (getStrides()[axis] == 1 || getSize()[axis] == 1);
    }
  }];
}

def Nn_TileOp : Nn_MoveOp<"tile", "tiledShape(shapeOf(op.getInput()), op.getMultiples(), errors)"> {
  let names = Nn_Names<"TILE", "TILE", "Tile", "tile">;
  let rows = "getMultiples().empty() || getMultiples()[0] != 1 ? std::nullopt : keepRows(open, {0})";
  let merge = "mergeTile(*this)";
  let layout = "layoutPerAxis(*this, {\"multiples\"})";
  let summary = "the input, repeated along each axis";
  let description = [{
    `multiples` has one entry for each axis, at least 1.

    ```mlir
    func.func @main(%x: tensor<2x3xf16>) -> tensor<2x6xf16> {
      %y = nn.tile %x multiples [1, 2] : (tensor<2x3xf16>) -> tensor<2x6xf16>
      return %y : tensor<2x6xf16>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$multiples);
  let assemblyFormat = "$input `multiples` $multiples attr-dict `:` functional-type(operands, results)";
}

def Nn_PadOp : Nn_MoveOp<"pad", "paddedShape(shapeOf(op.getInput()), op.getLow(), op.getHigh(), errors)"> {
  let names = Nn_Names<"PAD PADV2", "PAD PAD_V2", "Pad", "pad">;
  let rows = "isPaddedAlong(0) ? std::nullopt : keepRows(open, {0})";
  let merge = "mergePad(*this)";
  let layout = "layoutPerAxis(*this, {\"low\", \"high\"})";
  let summary = "elements of one value around a tensor";
  let description = [{
    `low` and `high` have one entry for each axis. Without `value` the new elements represent the real number zero. With
    it they are `value`: a real number for floats, the stored integer for all other types.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
      %y = nn.pad %x low [1, 0] high [1, 0] value 1.0 : (tensor<2x3xf32>) -> tensor<4x3xf32>
      return %y : tensor<4x3xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, OptionalAttr<F64Attr>:$value);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input `low` $low `high` $high (`value` $value^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    bool isPaddedAlong(unsigned axis) { return getLow()[axis] != 0 || getHigh()[axis] != 0; }
  }];
}

def Nn_ConcatenationOp
    : Nn_MoveOp<"concatenation", "concatenatedShape(shapesOf(op.getInputs()), static_cast<int64_t>(op.getAxis()), errors)"> {
  let names = Nn_Names<"CONCATENATION", "CONCATENATION", "Concat", "concat">;
  let rows = "getAxis() != 0 && llvm::all_of(open, [](bool isOpen) { return isOpen; }) ? RowRule(RowRatio()) : std::nullopt";
  let merge = "mergeConcatenation(*this)";
  let layout = "layoutConcatenation(*this)";
  let summary = "tensors one after the other along an axis";
  let description = [{
    All inputs have one element type and equal extents, except along the axis, where they add up.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x7xf32> {
      %y = nn.concatenation %a, %b axis 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
      return %y : tensor<2x7xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Movable>:$inputs, I64Attr:$axis);
  let elements = "elementOf(op.getInputs().front())";
  let hasVerifier = 1;
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` functional-type(operands, results)";
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNMOVEOPS_TD
