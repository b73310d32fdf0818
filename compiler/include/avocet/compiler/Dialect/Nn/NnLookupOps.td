//===- NnLookupOps.td - Look-ups, hashes, other grids ------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that select elements by run-time data, and the resampling of images.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNLOOKUPOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNLOOKUPOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_Indices : Nn_TensorOf<[I32]>;
def Nn_Seeds : Nn_TensorOf<[F32, F16]>;
def Nn_Image : Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_Symmetric16]>;

def Nn_GatherOp : Nn_TypedOp<"gather"> {
  let names = Nn_Names<"GATHER EMBEDDING_LOOKUP", "GATHER EMBEDDING_LOOKUP", "Gather", "gather">;
  let rows = "getAxis() == 0 ? keepRows(open, {1}) : keepRows(open, {0})";
  let merge = "mergeGather(*this)";
  let layout = "layoutGather(*this)";
  let shapes = "gatheredShape(shapeOf(op.getInput()), shapeOf(op.getIndices()), static_cast<int64_t>(op.getAxis()), errors)";
  let elements = "elementOf(op.getInput())";
  let work = "moveWork()";
  let summary = "slices at the positions in a tensor";
  let description = [{
    The axes of `indices` replace axis `axis` of the input. An index outside of that axis selects the nearest slice.

    ```mlir
    func.func @main(%x: tensor<2x3x4xf16>, %i: tensor<5x1xi32>) -> tensor<2x5x1x4xf16> {
      %y = nn.gather %x at %i axis 1 : (tensor<2x3x4xf16>, tensor<5x1xi32>) -> tensor<2x5x1x4xf16>
      return %y : tensor<2x5x1x4xf16>
    }
    ```
  }];
  let arguments = (ins Nn_Movable:$input, Nn_Integer:$indices, I64Attr:$axis);
  let results = (outs Nn_Movable:$output);
  let assemblyFormat = "$input `at` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Nn_Sortable : Nn_TensorOf<[F32, F16, I32, I64, Nn_PerTensor8, Nn_PerTensor16]>;

def Nn_TopkV2Op : Nn_TypedOp<"topk_v2"> {
  let names = Nn_Names<"TOPK_V2", "TOPK_V2", "TopK">;
  let rows = "keepRowsBeside(open, {getInput().getType().getRank() - 1})";
  let merge = "mergeBeforeLast(*this)";
  let layout = "layoutBeforeLast(*this)";
  let shapes = "topKShapes(shapeOf(op.getInput()), static_cast<int64_t>(op.getK()), errors)";
  let elements = "elementOf(op.getInput()), integers(op.getInput(), 32)";
  let summary = "the k largest elements along the last axis, in falling order";
  let description = [{
    `indices` are their positions on that axis. Of equal elements the first comes first, or the last
    with `last_first`.

    ```mlir
    func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
      %values, %indices = nn.topk_v2 %x k 3 : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
      return %values, %indices : tensor<2x3xf32>, tensor<2x3xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Sortable:$input, I64Attr:$k, UnitAttr:$last_first);
  let results = (outs Nn_Sortable:$values, Nn_Indices:$indices);
  let assemblyFormat = "$input `k` $k (`last_first` $last_first^)? attr-dict `:` functional-type(operands, results)";
}

def Nn_HashtableLookupOp : Nn_Op<"hashtable_lookup"> {
  let names = Nn_Names<"HASHTABLE_LOOKUP", "HASHTABLE_LOOKUP">;
  let shapes = "hashtableShapes(shapeOf(op.getLookups()), shapeOf(op.getKeys()), shapeOf(op.getValues()), errors)";
  let elements = "elementOf(op.getValues()), {}";
  let work = "moveWork()";
  let summary = "rows of a table by key";
  let description = [{
    `keys` are ascending; row `i` of `values` belongs to key `i`. If a key is not found, the row's stored values and the
    element of `hits` are 0; otherwise the stored value of `hits` is 1.

    ```mlir
    !h = !quant.uniform<u8:f32, 1.0>
    func.func @main(%l: tensor<4xi32>, %k: tensor<3xi32>, %v: tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<4x!h>) {
      %rows, %hits = nn.hashtable_lookup %l in %k, %v
          : (tensor<4xi32>, tensor<3xi32>, tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<4x!h>)
      return %rows, %hits : tensor<4x2xf32>, tensor<4x!h>
    }
    ```
  }];
  let arguments = (ins Nn_Indices:$lookups, Nn_Indices:$keys, Nn_Movable:$values);
  let results = (outs Nn_Movable:$output, Nn_TensorOf<[I1, Nn_PerTensor8]>:$hits);
  let assemblyFormat = "$lookups `in` $keys `,` $values attr-dict `:` functional-type(operands, results)";
}

def Nn_LshKind : I32EnumAttr<"LshKind", "form of a locality-sensitive hash", [
    I32EnumAttrCase<"SparseDeprecated", 1, "sparse_deprecated">,
    I32EnumAttrCase<"Dense", 2, "dense">,
    I32EnumAttrCase<"Sparse", 3, "sparse">
  ]> {
  let description = [{
    The sparse forms give one number per hash, the dense form one number per bit. The numbers are those of NNAPI.

    ```mlir
    func.func @main(%seeds: tensor<4x2xf32>, %x: tensor<3x2xi32>) -> tensor<4xi32> {
      %y = nn.lsh_projection sparse %seeds, %x : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<4xi32>
      return %y : tensor<4xi32>
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_LshKindAttr : EnumAttr<Nn_Dialect, Nn_LshKind, "lsh_kind">;

def Nn_LshProjectionOp : Nn_TypedOp<"lsh_projection"> {
  let names = Nn_Names<"LSH_PROJECTION", "LSH_PROJECTION">;
  let shapes = "lshProjectionShape(shapeOf(op.getSeeds()), shapeOf(op.getInput()), shapeIfAny(op.getWeights()), "
               "op.getKind() == LshKind::Dense, errors)";
  let elements = "integers(op.getSeeds(), 32)";
  let summary = "bits of locality-sensitive hashes";
  let description = [{
    `seeds` is [hashes, bits], at most 32 bits; `weights` has an element for each row of the input. The arithmetic is
    that of the DSP kernel of the same name.

    ```mlir
    func.func @main(%seeds: tensor<4x2xf32>, %x: tensor<3x2xi32>, %w: tensor<3xf32>) -> tensor<8xi32> {
      %y = nn.lsh_projection dense %seeds, %x weights %w
          : (tensor<4x2xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<8xi32>
      return %y : tensor<8xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Seeds:$seeds, Nn_Movable:$input, Optional<Nn_Seeds>:$weights, Nn_LshKindAttr:$kind);
  let results = (outs Nn_Indices:$output);
  let assemblyFormat = [{
    `` $kind $seeds `,` $input (`weights` $weights^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Nn_ResizeKind : I32EnumAttr<"ResizeKind", "how an image is sampled", [
    Nn_Case<"Nearest", 0, "nearest",
            Nn_Names<"RESIZE_NEAREST_NEIGHBOR", "RESIZE_NEAREST_NEIGHBOR", "Resize", "resize">>,
    Nn_Case<"Bilinear", 1, "bilinear", Nn_Names<"RESIZE_BILINEAR", "RESIZE_BILINEAR", "Resize", "resize">>
  ]> {
  let description = [{
    The nearest pixel, or the weighted mean of the four nearest.

    ```mlir
    func.func @main(%x: tensor<1x3x4x5xf32>) -> tensor<1x6x8x5xf32> {
      %y = nn.resize nearest %x to [6, 8] : (tensor<1x3x4x5xf32>) -> tensor<1x6x8x5xf32>
      return %y : tensor<1x6x8x5xf32>
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_ResizeKindAttr : EnumAttr<Nn_Dialect, Nn_ResizeKind, "resize_kind">;

def Nn_ResizeOp : Nn_TypedOp<"resize"> {
  let work = "vectorWork(*this, /*instructions=*/getKind() == ResizeKind::Bilinear ? 2 : 1)";
  let rows = "keepRows(open, {0})";
  let shapes = "resizedShape(shapeOf(op.getInput()), op.getSize(), errors)";
  let elements = "elementOf(op.getInput())";
  let summary = "images on another grid";
  let description = [{
    Input and result are [batch, height, width, channels]; `size` has height and width of the result.

    ```mlir
    func.func @main(%x: tensor<1x3x4x5xf32>) -> tensor<1x6x8x5xf32> {
      %y = nn.resize bilinear %x to [6, 8] half_pixel_centers : (tensor<1x3x4x5xf32>) -> tensor<1x6x8x5xf32>
      return %y : tensor<1x6x8x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Image:$input, Nn_ResizeKindAttr:$kind, DenseI64ArrayAttr:$size, UnitAttr:$alignCorners, UnitAttr:$halfPixelCenters);
  let results = (outs Nn_Image:$output);
  let assemblyFormat = [{
    `` $kind $input `to` $size (`align_corners` $alignCorners^)? (`half_pixel_centers` $halfPixelCenters^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNLOOKUPOPS_TD
