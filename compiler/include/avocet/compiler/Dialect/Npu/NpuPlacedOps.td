//===- NpuPlacedOps.td - Tensor operations with an engine --*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPUPLACEDOPS_TD
#define AVOCET_COMPILER_DIALECT_NPUPLACEDOPS_TD

include "avocet/compiler/Dialect/Npu/NpuBase.td"

def Npu_StorageElement : AnyTypeOf<[I1, I8, UI8, I16, UI<16>, I32, I64, F16, BF16, F32]>;
def Npu_Map : ConfinedType<StaticShapeTensorOf<[Npu_StorageElement]>, [HasAnyRankOfPred<[3]>],
                           "storage tensor [rows, width, channels]">;
def Npu_Bytes : ConfinedType<StaticShapeTensorOf<[I8, UI8]>, [HasAnyRankOfPred<[1]>], "packed bytes">;
def Npu_Data : AnyTypeOf<[Npu_Map, Npu_Bytes]>;

/// Shapes, types, addresses, ring and block of the command keep their defaults, because they follow from the operands.
/// Zero points, clamps, scales and windows are set. `layer` indexes the function's npu.layers.
class Npu_PlacedOp<string mnemonic, list<Trait> traits = []> : Npu_Op<mnemonic, traits # [Pure]> {
  let hasVerifier = 1;
}

def Npu_ConstantOp
    : Npu_Op<"constant", [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "constant bytes: packed weights, channel records, tables, constant tensors";
  let description = [{
    `value` has the shape and element type of the result and is usually a resource blob.

    ```mlir
    func.func @main(%x: tensor<4x4x8xi8>) -> tensor<4x4x8xi8>
        attributes {npu.layers = [{name = "a"} ]} {
      %t = npu.constant dense<0> : tensor<256xi8> : tensor<256xi8>
      %y = npu.lookup %x, %t {} layer 0 : tensor<4x4x8xi8>, tensor<256xi8> -> tensor<4x4x8xi8>
      return %y : tensor<4x4x8xi8>
    }
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Npu_Data:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_ViewOp : Npu_PlacedOp<"view"> {
  let summary = "the same bytes in another shape or element type, without moving them";
  let description = [{
    Result and input share one buffer, so the operation becomes no command.

    ```mlir
    func.func @main(%x: tensor<4x4x8xi8>) -> tensor<1x1x128xi8> {
      %y = npu.view %x : tensor<4x4x8xi8> -> tensor<1x1x128xi8>
      return %y : tensor<1x1x128xi8>
    }
    ```
  }];
  let arguments = (ins Npu_Map:$input);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Npu_JoinOp : Npu_PlacedOp<"join"> {
  let summary = "tensors side by side in one, without moving them";
  let description = [{
    Each input is written in place: it is the whole result of one operation, or such a result in another shape, and is
    no other join's input. `axis` counts rows (0), columns (1) and channels (2). Interleaved inputs take turns along
    rows or columns: input i of n has positions i, i + n, i + 2n and so on. The operation becomes no command.

    ```mlir
    func.func @main(%a: tensor<4x4x8xi8>, %b: tensor<4x4x8xi8>) -> tensor<4x4x16xi8> {
      %y = npu.join %a, %b along 2 : (tensor<4x4x8xi8>, tensor<4x4x8xi8>) -> tensor<4x4x16xi8>
      return %y : tensor<4x4x16xi8>
    }
    func.func @rows(%a: tensor<4x4x8xi8>, %b: tensor<4x4x8xi8>) -> tensor<8x4x8xi8> {
      %y = npu.join %a, %b interleaved along 0 : (tensor<4x4x8xi8>, tensor<4x4x8xi8>) -> tensor<8x4x8xi8>
      return %y : tensor<8x4x8xi8>
    }
    ```
  }];
  let arguments = (ins Variadic<Npu_Map>:$inputs, UnitAttr:$interleaved, I32Attr:$axis);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $inputs (`interleaved` $interleaved^)? `along` $axis attr-dict `:` functional-type($inputs, $result)
  }];
  let extraClassDeclaration = [{
    /// Distance of the positions of an input along the axis: 1 unless interleaved.
    int64_t step() { return getInterleaved() ? static_cast<int64_t>(getInputs().size()) : 1; }
  }];
}

def Npu_PartOp : Npu_PlacedOp<"part"> {
  let summary = "a box of a tensor, or every n-th row and column of one, without moving it";
  let description = [{
    `position` is the first row, column and channel, `steps` the distance of rows and of columns. The operation becomes
    no command.

    ```mlir
    func.func @main(%x: tensor<4x4x8xi8>) -> tensor<2x4x4xi8> {
      %y = npu.part %x at [1, 0, 4] : tensor<4x4x8xi8> -> tensor<2x4x4xi8>
      %z = npu.part %x at [1, 0, 4] by [2, 1] : tensor<4x4x8xi8> -> tensor<2x4x4xi8>
      return %z : tensor<2x4x4xi8>
    }
    ```
  }];
  let arguments = (ins Npu_Map:$input, DenseI32ArrayAttr:$position,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{1, 1}">:$steps);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $input `at` $position (`by` $steps^)? attr-dict `:` type($input) `->` type($result)
  }];
}

def Npu_ConvOp : Npu_PlacedOp<"conv", [AttrSizedOperandSegments]> {
  let summary = "convolution, depthwise convolution or fully connected on the MAC array";
  let description = [{
    `weights` are the packed weights of all output channels (firmware_iface/WeightLayout.h), or one slice of them if the
    command's weight format is compressed (firmware_iface/WeightStream.h). If other operations compute
    them, they are a map [sets, 1, weights of a set]: set n applies to the n-th equal part of the rows, and the window is
    1 x 1. `records` are 12 bytes for each output channel (16 if sums have 64 bits), `dynamicScale` one DynamicRecord (8 bytes) when the scaling is
    Dynamic, `table` 256 bytes. command.window has padTop and padLeft; padBottom and padRight complete the padding. `addend` has the type of the
    result and is added to the convolution's own result as command.residual says.

    ```mlir
    func.func @main(%x: tensor<4x4x8xi8>) -> tensor<4x4x16xi8>
        attributes {npu.layers = [{name = "a"} ]} {
      %w = npu.constant dense<1> : tensor<1152xi8> : tensor<1152xi8>
      %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
      %y = npu.conv %x, %w, %r {
          input = {zeroPoint = 3}, window = {kernelHeight = 3, kernelWidth = 3, padTop = 1, padLeft = 1},
          clamp = {min = -128, max = 127}} pad_bottom 1 pad_right 1 layer 0
          : tensor<4x4x8xi8>, tensor<1152xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
      return %y : tensor<4x4x16xi8>
    }
    ```
  }];
  let arguments = (ins Npu_Map:$input, Npu_Data:$weights, Npu_Bytes:$records, Optional<Npu_Map>:$dynamicScale,
                       Optional<Npu_Bytes>:$table, Optional<Npu_Map>:$addend, Npu_CommandProp<"ConvCommand">:$command,
                       DefaultValuedAttr<I32Attr, "0">:$padBottom, DefaultValuedAttr<I32Attr, "0">:$padRight,
                       I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $input `,` $weights `,` $records (`dynamic` $dynamicScale^)? (`table` $table^)? (`add` $addend^)?
    custom<Command>($command) (`pad_bottom` $padBottom^)? (`pad_right` $padRight^)? `layer` $layer attr-dict `:`
    type($input) `,` type($weights) `,` type($records) (`dynamic` type($dynamicScale)^)? (`table` type($table)^)?
    (`add` type($addend)^)? `->` type($result)
  }];
}

def Npu_PoolOp : Npu_PlacedOp<"pool"> {
  let summary = "max or average pool on the MAC array";
  let description = [{
    The command has the window with padTop and padLeft; padBottom and padRight complete the padding.

    ```mlir
    func.func @main(%x: tensor<4x4x8xi8>) -> tensor<2x2x8xi8>
        attributes {npu.layers = [{name = "a"} ]} {
      %y = npu.pool %x {
          kind = average, window = {kernelHeight = 2, kernelWidth = 2, strideHeight = 2, strideWidth = 2},
          clamp = {min = -128, max = 127}} layer 0 : tensor<4x4x8xi8> -> tensor<2x2x8xi8>
      return %y : tensor<2x2x8xi8>
    }
    ```
  }];
  let arguments = (ins Npu_Map:$input, Npu_CommandProp<"PoolCommand">:$command,
                       DefaultValuedAttr<I32Attr, "0">:$padBottom, DefaultValuedAttr<I32Attr, "0">:$padRight,
                       I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $input custom<Command>($command) (`pad_bottom` $padBottom^)? (`pad_right` $padRight^)? `layer` $layer attr-dict `:`
    type($input) `->` type($result)
  }];
}

def Npu_EltwiseOp : Npu_PlacedOp<"eltwise"> {
  let summary = "element-wise operation of two tensors on the MAC array";
  let description = [{
    An operand broadcasts along each axis on which its extent is 1.

    ```mlir
    func.func @main(%a: tensor<4x4x8xi8>, %b: tensor<1x1x8xi8>) -> tensor<4x4x8xi8>
        attributes {npu.layers = [{name = "a"} ]} {
      %y = npu.eltwise %a, %b {kind = max, clamp = {min = -128, max = 127}} layer 0
          : tensor<4x4x8xi8>, tensor<1x1x8xi8> -> tensor<4x4x8xi8>
      return %y : tensor<4x4x8xi8>
    }
    ```
  }];
  let arguments = (ins Npu_Map:$inputA, Npu_Map:$inputB, Npu_CommandProp<"EltwiseCommand">:$command, I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $inputA `,` $inputB custom<Command>($command) `layer` $layer attr-dict `:` type($inputA) `,` type($inputB) `->`
    type($result)
  }];
}

def Npu_LookupOp : Npu_PlacedOp<"lookup"> {
  let summary = "table look-up of 8-bit elements on the MAC array";
  let description = [{
    `table` has 256 bytes: the result for each value of the input byte.

    ```mlir
    func.func @main(%x: tensor<4x4x8xi8>, %t: tensor<256xi8>) -> tensor<4x4x8xi8>
        attributes {npu.layers = [{name = "a"} ]} {
      %y = npu.lookup %x, %t {} layer 0 : tensor<4x4x8xi8>, tensor<256xi8> -> tensor<4x4x8xi8>
      return %y : tensor<4x4x8xi8>
    }
    ```
  }];
  let arguments = (ins Npu_Map:$input, Npu_Bytes:$table, Npu_CommandProp<"LookupCommand">:$command, I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $input `,` $table custom<Command>($command) `layer` $layer attr-dict `:` type($input) `,` type($table) `->`
    type($result)
  }];
}

def Npu_DspOp : Npu_PlacedOp<"dsp"> {
  let summary = "a kernel of the vector DSP over whole tensors";
  let description = [{
    `kernel` is the kernel's name in the registry, `parameters` are its words, `inputZeroPoints` and `outputZeroPoints`
    contain one number for each operand and result. Operands of rank 1 are tables; the kernel reads them as 1 x 1 x n
    maps. `resultFills`, if not empty, has for each result the byte with which it is filled before the kernel runs
    (results that the kernel updates), or -1. `rowWise`: output row y depends only on row y of every operand (or, for
    operands of one row, on that row; of a pool: on the rows of its window), so the operation may run in stripes of rows.

    ```mlir
    func.func @main(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
        attributes {npu.layers = [{name = "a"} ]} {
      %y = npu.dsp "softmax"(%x) parameters [0, 0, 0, 1065353216] zero_points [0] -> [0] layer 0
          : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
      return %y : tensor<1x1x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Npu_Data>:$inputs, StrAttr:$kernel,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$parameters,
                       DenseI32ArrayAttr:$inputZeroPoints, DenseI32ArrayAttr:$outputZeroPoints,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$resultFills, UnitAttr:$rowWise, I32Attr:$layer);
  let results = (outs Variadic<Npu_Map>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` (`parameters` $parameters^)? `zero_points` $inputZeroPoints `->` $outputZeroPoints
    (`fills` $resultFills^)? (`row_wise` $rowWise^)? `layer` $layer attr-dict `:` functional-type($inputs, $results)
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NPUPLACEDOPS_TD
