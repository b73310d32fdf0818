//===- NnPasses.td - Passes on the nn dialect --------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each description has a command and the IR before and after it. tests/compiler/docs runs the command on the first and
// compares the output with the second. A closing brace and bracket have a space between them, since the two together
// end a description.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNPASSES_TD
#define AVOCET_COMPILER_DIALECT_NN_NNPASSES_TD

include "avocet/compiler/Support/PassKinds.td"

def MergeAxesPass : OptionalPass<"nn-merge-axes", "::mlir::func::FuncOp"> {
  let summary = "Merge adjacent axes of tensors whose rank is too high for the device";
  let description = [{
    An operation treats adjacent axes alike if it computes the same with their product as one axis, such as the axes
    that a reduction keeps. Operations on tensors above rank 8 get merged axes, between reshapes. Those that keep a rank
    above 8 are unchanged, and refused when they are placed.

    Command: `avocet-opt --nn-merge-axes`

    Before:

    ```mlir
    func.func @main(%x: tensor<1x2x1x2x1x2x1x2x3xf32>) -> tensor<1x2x1x2x1x2x1x2xf32> {
      %0 = nn.reduce max %x axes [8] : (tensor<1x2x1x2x1x2x1x2x3xf32>) -> tensor<1x2x1x2x1x2x1x2xf32>
      return %0 : tensor<1x2x1x2x1x2x1x2xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x2x1x2x1x2x1x2x3xf32>) -> tensor<1x2x1x2x1x2x1x2xf32> {
        %0 = nn.reshape %arg0 to [16, 3] : (tensor<1x2x1x2x1x2x1x2x3xf32>) -> tensor<16x3xf32>
        %1 = nn.reduce max %0 axes [1] : (tensor<16x3xf32>) -> tensor<16xf32>
        %2 = nn.reshape %1 to [1, 2, 1, 2, 1, 2, 1, 2] : (tensor<16xf32>) -> tensor<1x2x1x2x1x2x1x2xf32>
        return %2 : tensor<1x2x1x2x1x2x1x2xf32>
      }
    }
    ```
  }];
}

def CanonicalizePass : OptionalPass<"nn-canonicalize", "::mlir::func::FuncOp"> {
  let summary = "Fold operations and remove those without an effect";
  let description = [{
    Applies the folders and canonicalization patterns of all operations, and removes operations whose results nothing
    reads. The pass `canonicalize` of MLIR does the same, but also looks for blocks to simplify, of which a network has
    none.

    Command: `avocet-opt --nn-canonicalize`

    Before:

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
      %0 = nn.reshape %x to [3, 2] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %1 = nn.reshape %0 to [6] : (tensor<3x2xf32>) -> tensor<6xf32>
      %2 = nn.add %1, %1 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      return %1 : tensor<6xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<2x3xf32>) -> tensor<6xf32> {
        %0 = nn.reshape %arg0 to [6] : (tensor<2x3xf32>) -> tensor<6xf32>
        return %0 : tensor<6xf32>
      }
    }
    ```
  }];
}

def SinkTransposesPass : OptionalPass<"nn-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Choose layouts so that few bytes are transposed";
  let description = [{
    Networks of channels-first formats have transposes around each operation on images. This pass moves transposes
    through operations whose axes can be exchanged (`LayoutInterface`): element-wise ones with broadcasting, conversions,
    concatenations, slices, pads, repetitions, reductions, functions along an axis, gathers, reshapes that keep an axis
    separate, and matrix products. A minimum cut chooses one of two layouts for each operation, so that the transposes
    of each connected part move as few bytes as possible; a part that does not gain stays as it is. The pass repeats
    this until nothing gains.

    Inverse transposes cancel, those of a constant become another constant, those that only move axes of extent 1 become
    reshapes, and those that exchange rows and columns become flags of matrix products. What a branch or a loop reads
    and yields keeps its layout. Results are equal bit for bit, except for sums of floats along several axes, which are
    added in the order of the axes. A remark says why a transpose stays.

    Command: `avocet-opt --nn-sink-transposes`

    Before:

    ```mlir
    func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
      %s = nn.constant dense<[[[0.5]], [[2.0]]]> : tensor<2x1x1xf32>
      %0 = nn.max_pool_2d %x kernel [3, 3] : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
      %1 = nn.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
      %2 = nn.mul %1, %s : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
      %3 = nn.transpose %2 permutation [0, 2, 3, 1] : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
      return %3 : tensor<1x2x2x2xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
        %0 = nn.constant dense<[[[5.000000e-01, 2.000000e+00]]]> : tensor<1x1x2xf32>
        %1 = nn.max_pool_2d %arg0 kernel [3, 3] : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
        %2 = nn.mul %1, %0 : (tensor<1x2x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2x2xf32>
        return %2 : tensor<1x2x2x2xf32>
      }
    }
    ```
  }];
}

def RecognizeOperatorsPass : OptionalPass<"nn-recognize-operators", "::mlir::func::FuncOp"> {
  let summary = "Replace steps that an exporter wrote for an operator by the operator";
  let description = [{
    Exporters write an operator that their format lacks as several others, each of which moves the whole tensor. These
    are recognized in any order of operands, with constants as each element type rounds them: PReLU and leaky ReLU,
    logistic function, hard swish, GELU (with tanh), square, softmax and its logarithm, layer and instance
    normalization, and batch normalization, which goes into the layer before it or becomes a depthwise convolution.

    The results are equal, or within the bound that the family's file states (`Transforms/Recognize`). Steps on
    quantized numbers stay, since each of them rounds, and so do those whose results something else reads. A remark says
    what was recognized, and why something similar was not.

    Command: `avocet-opt --nn-recognize-operators`

    Before:

    ```mlir
    func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
      %slope = nn.constant dense<[0.25, 0.5]> : tensor<2xf32>
      %0 = nn.clamp relu %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %1 = nn.unary neg %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %2 = nn.clamp relu %1 : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %3 = nn.mul %2, %slope : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
      %4 = nn.sub %0, %3 : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      return %4 : tensor<1x4x4x2xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
        %0 = nn.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
        %1 = nn.prelu %arg0, %0 : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
        return %1 : tensor<1x4x4x2xf32>
      }
    }
    ```
  }];
}

def AbsorbMovesPass : OptionalPass<"nn-absorb-moves", "::mlir::func::FuncOp"> {
  let summary = "Remove transposes that their neighbors can absorb";
  let description = [{
    A chain of reshapes and transposes that leaves all elements in their order becomes a reshape. A fully connected
    layer whose input is transposed inside its rows gets weights in the other order; sums of floats have another order
    then. A convolution whose input is divided into batches, and whose result is put together again, becomes a dilated
    convolution.

    Command: `avocet-opt --nn-absorb-moves`

    Before:

    ```mlir
    func.func @main(%x: tensor<1x4x3xf32>) -> tensor<4x1x3xf32> {
      %0 = nn.transpose %x permutation [1, 0, 2] : (tensor<1x4x3xf32>) -> tensor<4x1x3xf32>
      return %0 : tensor<4x1x3xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x4x3xf32>) -> tensor<4x1x3xf32> {
        %0 = nn.reshape %arg0 to [4, 1, 3] : (tensor<1x4x3xf32>) -> tensor<4x1x3xf32>
        return %0 : tensor<4x1x3xf32>
      }
    }
    ```
  }];
}

def FusePadPass : OptionalPass<"nn-fuse-pad", "::mlir::func::FuncOp"> {
  let summary = "Move padding of rows and columns into the convolution that reads it";
  let description = [{
    Padding in a convolution is free, whereas a separate pad moves the whole tensor through memory. Max pools are
    not fused: their own padding is never the maximum, whereas an explicit zero may be. Cropping of a convolution's
    result takes from its padding. Zeros after lines move into the spectrum that reads them.

    Command: `avocet-opt --nn-fuse-pad`

    Before:

    ```mlir
    func.func @main(%x: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<1x4x4x2xf32> {
      %0 = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
      %1 = nn.conv_2d %0, %w : (tensor<1x6x6x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x4x4x2xf32>
      return %1 : tensor<1x4x4x2xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<2x3x3x2xf32>) -> tensor<1x4x4x2xf32> {
        %0 = nn.conv_2d %arg0, %arg1 pad [1, 1, 1, 1] : (tensor<1x4x4x2xf32>, tensor<2x3x3x2xf32>) -> tensor<1x4x4x2xf32>
        return %0 : tensor<1x4x4x2xf32>
      }
    }
    ```
  }];
}

def FuseActivationPass : OptionalPass<"nn-fuse-activation", "::mlir::func::FuncOp"> {
  let summary = "Turn a relu into the activation of its producer";
  let description = [{
    Applies if the producer has no other use and no activation yet and the relu keeps the element type, so that the
    clamp of the stored values is the same before and after.

    Command: `avocet-opt --nn-fuse-activation`

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = nn.clamp relu6 %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
        %0 = nn.add %arg0, %arg1 activation relu6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
}

def FuseQuantizationPass : OptionalPass<"nn-fuse-quantization", "::mlir::func::FuncOp"> {
  let summary = "Compute with integers between dequantization and quantization";
  let description = [{
    Networks of ONNX write a quantized operator as one on floats between conversions. An operation whose operands are
    dequantized and whose result is quantized with `half_even`, both with 8 bits, becomes one on the integers: layers
    (with dequantized constant weights, `nn.stored`), sums, differences, products, rectifiers with slopes, sums and means
    of axes, averages over windows, with numerics `even_round`, and softmax; any function of one tensor's elements becomes
    a table. Clamps before the quantization become the activation. Layers, sums, differences and products may have
    16 bits with zero point 0, layers if their sums have 32.

    Moves of elements, and maxima, work on the integers: dequantization moves after them, quantization before them, and
    the two cancel where their types are equal. Constants among concatenated or selected parts become integers. Positions
    of extremes are looked for in the integers.

    A layer of at least 256 products whose result is not quantized has sums of integers, times a factor in float.

    Sums are exact here, and rounded in float there: a result may be the next number, where the exact sum is near a half.
    A remark says which operation stays on floats, and why.

    Command: `avocet-opt --nn-fuse-quantization --nn-canonicalize`

    Before:

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !y = !quant.uniform<i8:f32, 2.0>
    func.func @main(%a: tensor<4x!x>, %b: tensor<4x!x>) -> tensor<4x!y> {
      %0 = nn.dequantize %a : (tensor<4x!x>) -> tensor<4xf32>
      %1 = nn.dequantize %b : (tensor<4x!x>) -> tensor<4xf32>
      %2 = nn.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %3 = nn.quantize %2 numerics half_even : (tensor<4xf32>) -> tensor<4x!y>
      return %3 : tensor<4x!y>
    }
    ```

    After:

    ```mlir
    !perTensor = !quant.uniform<i8:f32, 5.000000e-01:-3>
    !perTensor1 = !quant.uniform<i8:f32, 2.000000e+00>
    module {
      func.func @main(%arg0: tensor<4x!perTensor>, %arg1: tensor<4x!perTensor>) -> tensor<4x!perTensor1> {
        %0 = nn.mul %arg0, %arg1 numerics even_round [1073741824] >> [33] : (tensor<4x!perTensor>, tensor<4x!perTensor>) -> tensor<4x!perTensor1>
        return %0 : tensor<4x!perTensor1>
      }
    }
    ```
  }];
}

def FuseRescalePass : OptionalPass<"nn-fuse-rescale", "::mlir::func::FuncOp"> {
  let summary = "Let operations rescale with the multipliers of the network";
  let description = [{
    Networks with explicit multipliers rescale the i32 results of their layers, sums and products. A rescale with one
    reader becomes the `numerics` of the layer before it. A sum or a difference of two rescaled 8-bit numbers with a
    rescale after it becomes an 8-bit one with three multipliers, if all are rounded alike, and a product of two numbers
    without their zero points one with one. A summand may be a constant that 8 bits hold, times a power of two.

    Clamps of numbers under another name, which a bitcast gives them, move before the bitcast, where
    `nn-fuse-activation` finds them; a minimum or a maximum with one integer is such a clamp.

    The results are the same bits. Only products that the network does not define, of numbers outside of the range of
    their shift, may differ.

    Command: `avocet-opt --nn-fuse-rescale`

    Before:

    ```mlir
    !x = !quant.uniform<i8:f32, 1.0:-3>
    func.func @main(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>) -> tensor<4x3x!x> {
      %0 = nn.fully_connected %x, %w : (tensor<4x2x!x>, tensor<3x2x!x>) -> tensor<4x3xi32>
      %1 = nn.rescale %0 numerics double_round [1073741824] >> [38] : (tensor<4x3xi32>) -> tensor<4x3x!x>
      return %1 : tensor<4x3x!x>
    }
    ```

    After:

    ```mlir
    !perTensor = !quant.uniform<i8:f32, 1.000000e+00:-3>
    module {
      func.func @main(%arg0: tensor<4x2x!perTensor>, %arg1: tensor<3x2x!perTensor>) -> tensor<4x3x!perTensor> {
        %0 = nn.fully_connected %arg0, %arg1 numerics double_round [1073741824] >> [38] : (tensor<4x2x!perTensor>, tensor<3x2x!perTensor>) -> tensor<4x3x!perTensor>
        return %0 : tensor<4x3x!perTensor>
      }
    }
    ```
  }];
}

def FuseRequantizePass : OptionalPass<"nn-fuse-requantize", "::mlir::func::FuncOp"> {
  let summary = "Let operations read and write the other signedness if that is exact";
  let description = [{
    A requantization between int8 and uint8 of the same scale whose zero points differ by 128 changes the
    representation but no real number. Networks with uint8 operands and int8 arithmetic have one at each input and
    output. Convolutions and fully connected layers read and write either form, so the requantization is fused into
    them. It moves through softmax, max pool and reshape towards one of these.

    Command: `avocet-opt --nn-fuse-requantize`

    Before:

    ```mlir
    !u = !quant.uniform<u8:f32, 0.5:128>
    !i = !quant.uniform<i8:f32, 0.5>
    !w = !quant.uniform<i8:f32, 0.25>
    func.func @main(%x: tensor<1x4x4x2x!u>, %w: tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!u> {
      %0 = nn.quantize %x : (tensor<1x4x4x2x!u>) -> tensor<1x4x4x2x!i>
      %1 = nn.conv_2d %0, %w : (tensor<1x4x4x2x!i>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!i>
      %2 = nn.quantize %1 : (tensor<1x4x4x2x!i>) -> tensor<1x4x4x2x!u>
      return %2 : tensor<1x4x4x2x!u>
    }
    ```

    After:

    ```mlir
    !perTensor = !quant.uniform<u8:f32, 5.000000e-01:128>
    !perTensor1 = !quant.uniform<i8:f32, 2.500000e-01>
    module {
      func.func @main(%arg0: tensor<1x4x4x2x!perTensor>, %arg1: tensor<2x1x1x2x!perTensor1>) -> tensor<1x4x4x2x!perTensor> {
        %0 = nn.conv_2d %arg0, %arg1 : (tensor<1x4x4x2x!perTensor>, tensor<2x1x1x2x!perTensor1>) -> tensor<1x4x4x2x!perTensor>
        return %0 : tensor<1x4x4x2x!perTensor>
      }
    }
    ```
  }];
}

def AbsorbChannelOrdersPass : OptionalPass<"nn-absorb-channel-orders", "::mlir::func::FuncOp"> {
  let summary = "Give convolutions their channels in the order that shuffles make";
  let description = [{
    A transpose that exchanges channels inside each pixel, such as a channel shuffle, costs a pass over the tensor. The
    convolution before it makes its outputs in the other order instead; the one after it has weights in the order before
    the transpose, if they are integers, whose sums do not depend on the order. A depthwise convolution between the two
    exchanges its own weights. Results are equal bit for bit.

    Of a concatenation of two halves that is shuffled and divided again, as in ShuffleNet V2, the half that a convolution
    made gets an order in which the channels that a convolution of integers reads next follow each other. The rest alone
    is shuffled.

    Command: `avocet-opt --nn-absorb-channel-orders`

    Before:

    ```mlir
    func.func @main(%x: tensor<1x4x4x1xf32>) -> tensor<1x4x4x4xf32> {
      %w = nn.constant dense<[[[[0.0]]], [[[1.0]]], [[[2.0]]], [[[3.0]]]]> : tensor<4x1x1x1xf32>
      %0 = nn.conv_2d %x, %w : (tensor<1x4x4x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x4x4xf32>
      %1 = nn.reshape %0 to [1, 4, 4, 2, 2] : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x2x2xf32>
      %2 = nn.transpose %1 permutation [0, 1, 2, 4, 3] : (tensor<1x4x4x2x2xf32>) -> tensor<1x4x4x2x2xf32>
      %3 = nn.reshape %2 to [1, 4, 4, 4] : (tensor<1x4x4x2x2xf32>) -> tensor<1x4x4x4xf32>
      return %3 : tensor<1x4x4x4xf32>
    }
    ```

    After:

    ```mlir
    module {
      func.func @main(%arg0: tensor<1x4x4x1xf32>) -> tensor<1x4x4x4xf32> {
        %0 = nn.constant dense<[[[[0.000000e+00]]], [[[2.000000e+00]]], [[[1.000000e+00]]], [[[3.000000e+00]]]]> : tensor<4x1x1x1xf32>
        %1 = nn.conv_2d %arg0, %0 : (tensor<1x4x4x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x4x4xf32>
        return %1 : tensor<1x4x4x4xf32>
      }
    }
    ```
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNPASSES_TD
