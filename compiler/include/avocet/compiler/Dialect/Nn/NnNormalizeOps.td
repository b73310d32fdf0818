//===- NnNormalizeOps.td - Normalizations along one axis -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNNORMALIZEOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNNORMALIZEOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// Tensors of operations without a quantized form.
def Nn_FloatOnly : Nn_TensorOf<[F32, F16]>;

/// The axis along which lines run, from -rank to rank - 1; default: the last one.
def Nn_Axis : DefaultValuedAttr<SI64Attr, "-1">;

/// The result has the shape and storage type of the input.
class Nn_NormalizeOp<string mnemonic> : Nn_Op<mnemonic> {
  let rows = "keepRowsBeside(open, {positiveAxis()})";
  let merge = "mergeLines(*this)";
  let layout = "layoutLines(*this)";
  let shapes = "linesShape(shapeOf(op.getInput()), op.getAxis(), errors)";
  let results = (outs Nn_Real:$output);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The axis, counted from the first one.
    int64_t positiveAxis() { return getAxis() < 0 ? getAxis() + getInput().getType().getRank() : getAxis(); }
  }];
}

def Nn_SoftmaxOp : Nn_NormalizeOp<"softmax"> {
  let names = Nn_Names<"SOFTMAX", "SOFTMAX", "Softmax">;
  let work = "vectorWork(*this, /*instructions=*/5)";
  let summary = "exp(beta * x), normalized along an axis";
  let description = [{
    8-bit results have scale 1/256 and zero point -128 (signed) or 0 (unsigned), 16-bit results scale 1/32768.
    Signed 8-bit numbers may also give 16-bit results, with scale 1/65536 (to one thousandth) and zero point -32768,
    along the last axis. With the attribute `nn.nearest` 8-bit results have any scale of at least 2^-16 and any zero point,
    and are rounded once, halves to the even number.

    ```mlir
    func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
      %y = nn.softmax %x beta 0.5 axis 1 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
      return %y : tensor<2x3x4x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real:$input, DefaultValuedAttr<F32Attr, "1.0f">:$beta, Nn_Axis:$axis);
  let results = (outs Nn_TensorOf<[F32, F16, Nn_PerTensor8, Nn_Signed16]>:$output);
  let assemblyFormat = "$input (`beta` $beta^)? (`axis` $axis^)? attr-dict `:` functional-type(operands, results)";
}

def Nn_LogSoftmaxOp : Nn_NormalizeOp<"log_softmax"> {
  let names = Nn_Names<"LOG_SOFTMAX", "LOG_SOFTMAX", "LogSoftmax">;
  let work = "vectorWork(*this, /*instructions=*/5)";
  let summary = "logarithm of the softmax";
  let description = [{
    The result is beta * x - log(sum(exp(beta * x))), with the sum along the axis. 8-bit results have scale 1/16 and
    zero point 127 (signed) or 255 (unsigned).

    ```mlir
    func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
      %y = nn.log_softmax %x axis -2 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
      return %y : tensor<2x3x4x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real8:$input, DefaultValuedAttr<F32Attr, "1.0f">:$beta, Nn_Axis:$axis);
  let results = (outs Nn_Real8:$output);
  let assemblyFormat = "$input (`beta` $beta^)? (`axis` $axis^)? attr-dict `:` functional-type(operands, results)";
}

def Nn_L2NormalizeOp : Nn_NormalizeOp<"l2_normalize"> {
  let names = Nn_Names<"L2_NORMALIZATION", "L2_NORMALIZATION", "LpNormalization">;
  let work = "vectorWork(*this, /*instructions=*/2)";
  let summary = "x / sqrt(sum of x^2 along an axis)";
  let description = [{
    8-bit results have scale 1/128 and zero point 0 (signed) or 128 (unsigned).

    ```mlir
    func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
      %y = nn.l2_normalize %x axis 0 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
      return %y : tensor<2x3x4x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real8:$input, Nn_Axis:$axis);
  let assemblyFormat = "$input (`axis` $axis^)? attr-dict `:` functional-type(operands, results)";
}

def Nn_RmsNormalizeOp : Nn_NormalizeOp<"rms_normalize"> {
  let names = Nn_Names<"", "", "RMSNormalization">;
  let work = "vectorWork(*this, /*instructions=*/3)";
  let summary = "x / sqrt(mean of x^2 along an axis + epsilon)";
  let description = [{
    Layer normalization that subtracts no mean. Factors for each channel are a product after it.

    ```mlir
    func.func @main(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
      %y = nn.rms_normalize %x epsilon 0.125 : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
      return %y : tensor<2x3x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_FloatOnly:$input, F32Attr:$epsilon, Nn_Axis:$axis);
  let assemblyFormat = "$input `epsilon` $epsilon (`axis` $axis^)? attr-dict `:` functional-type(operands, results)";
}

def Nn_LocalResponseNormalizeOp : Nn_NormalizeOp<"local_response_normalize"> {
  let names = Nn_Names<"LOCAL_RESPONSE_NORMALIZATION", "LOCAL_RESPONSE_NORMALIZATION", "LRN">;
  let work = "vectorWork(*this, /*instructions=*/4)";
  let summary = "x * (bias + alpha * sum of near x^2) ^ -beta";
  let description = [{
    The sum covers the elements at most `radius` away along the axis.

    ```mlir
    func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
      %y = nn.local_response_normalize %x radius 2 bias 1.0 alpha 2.0 beta 0.5 axis 3
          : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
      return %y : tensor<2x3x4x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_FloatOnly:$input, I32Attr:$radius, F32Attr:$bias, F32Attr:$alpha, F32Attr:$beta, Nn_Axis:$axis);
  let results = (outs Nn_FloatOnly:$output);
  let assemblyFormat = [{
    $input `radius` $radius `bias` $bias `alpha` $alpha `beta` $beta (`axis` $axis^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Nn_Summable : Nn_TensorOf<[F32, F16, I32, I64]>;

def Nn_CumulativeSumOp : Nn_NormalizeOp<"cumsum"> {
  let names = Nn_Names<"CUMSUM", "", "CumSum">;
  let summary = "running sums along an axis";
  let description = [{
    Each element becomes the sum of the elements up to it; `exclusive`: without itself. With `reverse`, sums run from
    the last element to the first. Sums of integers wrap.

    ```mlir
    func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
      %y = nn.cumsum %x exclusive reverse axis 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
      return %y : tensor<2x3xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Summable:$input, UnitAttr:$exclusive, UnitAttr:$reverse, Nn_Axis:$axis);
  let results = (outs Nn_Summable:$output);
  let assemblyFormat = [{
    $input (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`axis` $axis^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Nn_InstanceNormalizeOp : Nn_Op<"instance_normalize"> {
  let names = Nn_Names<"", "INSTANCE_NORMALIZATION", "InstanceNormalization">;
  let work = "vectorWork(*this, /*instructions=*/3)";
  let rows = "keepRows(open, {0})";
  let shapes = "imageShape(shapeOf(op.getInput()), errors)";
  let summary = "(x - mean) / sqrt(variance + epsilon) * gamma + beta over each image's channels";
  let description = [{
    [batch, height, width, channels]; mean and variance are those of one channel of one image.

    ```mlir
    func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
      %y = nn.instance_normalize %x gamma 1.0 beta 0.0 epsilon 0.125 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
      return %y : tensor<2x3x4x5xf32>
    }
    ```
  }];
  let arguments = (ins Nn_FloatOnly:$input, F32Attr:$gamma, F32Attr:$beta, F32Attr:$epsilon);
  let results = (outs Nn_FloatOnly:$output);
  let assemblyFormat = [{
    $input `gamma` $gamma `beta` $beta `epsilon` $epsilon attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNNORMALIZEOPS_TD
