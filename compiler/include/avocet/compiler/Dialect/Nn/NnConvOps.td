//===- NnConvOps.td - Convolutions and fully connected layers -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNCONVOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNCONVOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// The legal combinations of input, weights, bias and result, the same for all operations here:
/// - quantized: 8-bit per-tensor input and result, 8-bit weights, i32 bias; weights with scales per channel have zero
///   point 0;
/// - 16-bit: signed 16-bit input and result with zero point 0, signed 8-bit weights with zero point 0. The bias is i64,
///   with 64-bit sums that are rounded once, or i32, with sums and rounding of the 8-bit form. Without bias: as with i64;
/// - float: all f32, or all f16 (sums are f32 and rounded once);
/// - sums: the operands of the quantized forms with a result of i32, or of i64 where sums have 64 bits: the sums with
///   their bias, without activation and numerics;
/// - hybrid: f32 input, bias and result, int8 weights with zero point 0; the input is quantized at run time.
class Nn_MacOp<string mnemonic> : Nn_Op<mnemonic> {
  let rows = "keepRows(open, {0})";
  let work = "convolutionWork(*this, getFilter(), getBias())";
  let hasVerifier = 1;
}

/// `leading`: arguments of the function of shapes between those of the shapes and the window.
class Nn_WindowedConvOp<string mnemonic, string rule, string leading = "", dag extra = (ins), string extraFormat = "">
    : Nn_MacOp<mnemonic> {
  let shapes = rule # "(shapeOf(op.getInput()), shapeOf(op.getFilter()), " # leading #
               "{op.getStride(), op.getDilation(), op.getPad()}, errors)";
  let arguments = !con((ins Nn_Real:$input, Nn_Weights:$filter, Optional<Nn_Bias>:$bias), extra,
                       (ins Nn_Pair:$stride, Nn_Pair:$dilation, Nn_Padding:$pad, Nn_FusedActivation:$activation,
                            Nn_Rescaling:$numerics));
  let results = (outs Nn_LayerResult:$output);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? }] # extraFormat # [{
    (`stride` $stride^)? (`dilation` $dilation^)? (`pad` $pad^)? (`activation` `` $activation^)?
    (`numerics` `` $numerics^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_Conv2dOp : Nn_WindowedConvOp<"conv_2d", "convolutionShape", "/*groups=*/1, "> {
  let names = Nn_Names<"CONV_2D", "CONV_2D", "Conv", "conv2d">;
  let summary = "two-dimensional convolution";
  let description = [{
    `output[n, y, x, o] = act(bias[o] + sum(input[n, y*s + i*d - top, x*s + j*d - left, c] * filter[o, i, j, c]))`.
    Input and output are NHWC, the filter is OHWI. Padding reads as the real number zero.

    ```mlir
    func.func @main(%x: tensor<1x224x224x3xf32>, %w: tensor<32x3x3x3xf32>, %b: tensor<32xf32>)
        -> tensor<1x112x112x32xf32> {
      %y = nn.conv_2d %x, %w, %b stride [2, 2] pad [0, 1, 0, 1] activation relu6
          : (tensor<1x224x224x3xf32>, tensor<32x3x3x3xf32>, tensor<32xf32>) -> tensor<1x112x112x32xf32>
      return %y : tensor<1x112x112x32xf32>
    }
    ```
  }];
}

def Nn_DepthwiseConv2dOp : Nn_WindowedConvOp<"depthwise_conv_2d", "depthwiseShape"> {
  let names = Nn_Names<"DEPTHWISE_CONV_2D", "DEPTHWISE_CONV_2D", "Conv", "depthwise_conv2d">;
  let work = "depthwiseWork(*this, getFilter(), getBias())";
  let summary = "convolution of each channel with its own filters";
  let description = [{
    The filter is [1, height, width, output channels]; output channel o reads input channel
    o / (output channels / input channels).

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !w = !quant.uniform<i8:f32:3, {0.1, 0.2}>
    func.func @main(%x: tensor<1x4x4x2x!x>, %w: tensor<1x3x3x2x!w>, %b: tensor<2xi32>) -> tensor<1x4x4x2x!x> {
      %y = nn.depthwise_conv_2d %x, %w, %b pad [1, 1, 1, 1]
          : (tensor<1x4x4x2x!x>, tensor<1x3x3x2x!w>, tensor<2xi32>) -> tensor<1x4x4x2x!x>
      return %y : tensor<1x4x4x2x!x>
    }
    ```
  }];
}

def Nn_GroupedConv2dOp
    : Nn_WindowedConvOp<"grouped_conv_2d", "convolutionShape", "static_cast<int64_t>(op.getGroups()), ",
                        (ins I64Attr:$groups), "`groups` $groups"> {
  let names = Nn_Names<"CONV_2D", "GROUPED_CONV_2D", "Conv">;
  let summary = "convolution of groups of channels, each with its own filters";
  let description = [{
    Channels of input and output are divided into `groups` equal groups; the filter is OHWI with the input channels of
    one group, and output channel o reads group o / (output channels / groups).

    ```mlir
    func.func @main(%x: tensor<1x4x4x6xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
      %y = nn.grouped_conv_2d %x, %w, %b groups 2 pad [1, 1, 1, 1]
          : (tensor<1x4x4x6xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
      return %y : tensor<1x4x4x4xf32>
    }
    ```
  }];
}

def Nn_TransposeConv2dOp : Nn_MacOp<"transpose_conv_2d"> {
  let names = Nn_Names<"TRANSPOSE_CONV", "TRANSPOSE_CONV_2D", "ConvTranspose", "transpose_conv2d">;
  let work = "transposedWork(*this, getFilter(), getBias())";
  let shapes = "transposedConvolutionShape(shapeOf(op.getInput()), shapeOf(op.getFilter()), op.getStride(), "
               "op.getPad(), errors)";
  let summary = "transposed convolution: every input element spreads a filter over the output";
  let description = [{
    `input[n, y, x, c] * filter[o, i, j, c]` is added to `output[n, y*s + i - top, x*s + j - left, o]`, then the bias.
    The filter is OHWI. The output has (input - 1) * stride + kernel - padding rows. Trailing padding may be negative,
    which adds rows that no element reaches or only some do.

    ```mlir
    func.func @main(%x: tensor<1x2x2x3xf16>, %w: tensor<5x3x3x3xf16>) -> tensor<1x5x6x5xf16> {
      %y = nn.transpose_conv_2d %x, %w stride [2, 2] pad [0, 0, 0, -1]
          : (tensor<1x2x2x3xf16>, tensor<5x3x3x3xf16>) -> tensor<1x5x6x5xf16>
      return %y : tensor<1x5x6x5xf16>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$input, Nn_Weights:$filter, Optional<Nn_Bias>:$bias, Nn_Pair:$stride,
                       Nn_Padding:$pad, Nn_FusedActivation:$activation, Nn_Rescaling:$numerics);
  let results = (outs Nn_LayerResult:$output);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? (`stride` $stride^)? (`pad` $pad^)? (`activation` `` $activation^)?
    (`numerics` `` $numerics^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_FullyConnectedOp : Nn_MacOp<"fully_connected"> {
  let names = Nn_Names<"FULLY_CONNECTED", "FULLY_CONNECTED", "Gemm">;
  let rows = "regroupRows(getInput(), getOutput(), open)";
  let layout = "getKeepDims() ? std::optional(layoutBeforeLast(*this)) : std::nullopt";
  let shapes = "fullyConnectedShape(shapeOf(op.getInput()), shapeOf(op.getFilter()), op.getKeepDims(), errors)";
  let summary = "matrix product";
  let description = [{
    The input is read as rows of length K, where weights are [O, K]; the result is [rows, O]. With `keep_dims` the last
    axis of the input has K elements, and O elements replace it.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
      %y = nn.fully_connected %x, %w, %b activation relu
          : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$input, Nn_Weights:$filter, Optional<Nn_Bias>:$bias, UnitAttr:$keepDims,
                       Nn_FusedActivation:$activation, Nn_Rescaling:$numerics);
  let results = (outs Nn_LayerResult:$output);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? (`keep_dims` $keepDims^)? (`activation` `` $activation^)?
    (`numerics` `` $numerics^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_BatchMatmulOp : Nn_Op<"batch_matmul"> {
  let names = Nn_Names<"BATCH_MATMUL", "BATCH_MATMUL", "MatMul", "matmul">;
  let layout = "layoutBeforeLast(*this, /*fixed=*/2, /*broadcasts=*/true)";
  let shapes = "matrixProductShape(shapeOf(op.getLhs()), shapeOf(op.getRhs()), op.getTransposeLhs(), "
               "op.getTransposeRhs(), errors)";
  let work = "matmulWork(*this, getLhs().getType().getShape().take_back(getTransposeLhs() ? 2 : 1).front())";
  let summary = "products of the matrices in the last two axes";
  let description = [{
    `output[.., m, n] = sum(lhs[.., m, k] * rhs[.., k, n])`. With `transpose_lhs` the left matrices are stored as [k, m],
    with `transpose_rhs` the right ones as [n, k]. All other axes broadcast, aligned at the last one. Operands and result
    are of one float type, or all quantized with 8 bits, or all with 16; both operands may be computed. The right operand of a
    16-bit one may also have 8 bits, if it is signed with zero point 0. An 8-bit right operand may have a scale for each
    column, with zero point 0. The result of quantized operands may also be the sums, i32 or (16 bits) i64. If only `rhs`
    is quantized, with 8 bits and zero point 0, and the others are f32, each row of `lhs` is first rounded to 8 bits with
    a scale of its own, with `asymmetric` with a zero point too.

    ```mlir
    func.func @main(%q: tensor<8x64x32xf32>, %k: tensor<8x64x32xf32>) -> tensor<8x64x64xf32> {
      %scores = nn.batch_matmul %q, %k transpose_rhs
          : (tensor<8x64x32xf32>, tensor<8x64x32xf32>) -> tensor<8x64x64xf32>
      return %scores : tensor<8x64x64xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$lhs, Nn_Factors:$rhs, UnitAttr:$transposeLhs, UnitAttr:$transposeRhs,
                       UnitAttr:$asymmetric, Nn_Rescaling:$numerics);
  let results = (outs Nn_LayerResult:$output);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transposeLhs^)? (`transpose_rhs` $transposeRhs^)? (`asymmetric` $asymmetric^)?
    (`numerics` `` $numerics^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNCONVOPS_TD
