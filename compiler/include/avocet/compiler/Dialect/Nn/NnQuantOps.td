//===- NnQuantOps.td - Changes of quantization -------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNQUANTOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNQUANTOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

/// The result has the shape of the input.
class Nn_ConversionOp<string mnemonic> : Nn_Op<mnemonic> {
  let rows = "keepRows(open, {0})";
  let merge = "mergeElementwise(*this)";
  let layout = "layoutElementwise(*this)";
  let shapes = "commonShape({shapeOf(op.getInput())}, errors)";
}

def Nn_QuantizeOp : Nn_ConversionOp<"quantize"> {
  let names = Nn_Names<"QUANTIZE", "QUANTIZE", "QuantizeLinear", "", ["nnapi"]>;
  let work = "functionWork(*this)";
  let summary = "conversion to the nearest values of a quantized type";
  let description = [{
    From floats: `round(x / scale) + zero point`, halves away from zero, or to the even number with `numerics half_even`,
    clamped. From a quantized type: the rescale by the quotient of the scales in fixed point. Input or result may be i32,
    whose numbers are multiples of `integer_scale`; the other one is then quantized.

    ```mlir
    !y = !quant.uniform<i8:f32, 2.0>
    func.func @main(%x: tensor<4xi32>) -> tensor<4x!y> {
      %y = nn.quantize %x integer_scale 0.5 : (tensor<4xi32>) -> tensor<4x!y>
      return %y : tensor<4x!y>
    }
    ```
  }];
  let arguments = (ins Nn_TensorOf<[F32, F16, I32, Nn_PerTensor8, Nn_Signed16]>:$input,
                       OptionalAttr<F32Attr>:$integerScale, Nn_Rescaling:$numerics);
  let results = (outs Nn_TensorOf<[F32, F16, I32, Nn_PerTensor8, Nn_Signed16]>:$output);
  let assemblyFormat = [{
    $input (`integer_scale` $integerScale^)? (`numerics` `` $numerics^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$input),
                            [{ build($_builder, $_state, results, input, ::mlir::FloatAttr()); }]>,
                  OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$input, "::mlir::FloatAttr":$integerScale),
                            [{ build($_builder, $_state, results, input, integerScale, NumericsAttr::get($_builder.getContext(), Numerics::Tflite)); }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_RescaleOp : Nn_ConversionOp<"rescale"> {
  let names = Nn_Names<"", "", "", "rescale">;
  let work = "functionWork(*this)";
  let merge = "getNumerics().getMultipliers().size() == 1 ? mergeElementwise(*this) : mergeBeforeLast(*this)";
  let layout = "getNumerics().getMultipliers().size() == 1 ? layoutElementwise(*this) : layoutBeforeLast(*this)";
  let summary = "integers times a fixed-point number";
  let description = [{
    `clamp(((x - zero point of x) * m >> s) + zero point of the result)`: the multiplier m and the shift s are those of
    `numerics`, one pair for all elements or one for each element of the last axis. Plain integers have zero point 0; the
    scales of quantized types do not count. The clamp is to the type of the result.

    i64 are sums of 48 bits. Their multipliers are below 2^15, and they are rounded once. Narrower numbers have no such
    form: with a multiplier below 2^15 it has the bits of `single_round`.

    ```mlir
    !y = !quant.uniform<i8:f32, 1.0:-3>
    func.func @main(%x: tensor<4x2xi32>) -> tensor<4x2x!y> {
      %y = nn.rescale %x numerics double_round [1073741824, 1518500250] >> [38, 37] : (tensor<4x2xi32>) -> tensor<4x2x!y>
      return %y : tensor<4x2x!y>
    }
    ```
  }];
  let arguments = (ins Nn_Rescaled:$input, Nn_NumericsAttr:$numerics);
  let results = (outs Nn_Rescaled:$output);
  let assemblyFormat = "$input `numerics` `` $numerics attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_DequantizeOp : Nn_ConversionOp<"dequantize"> {
  let names = Nn_Names<"DEQUANTIZE", "DEQUANTIZE", "DequantizeLinear">;
  let summary = "the real numbers of quantized values";
  let description = [{
    The result is (stored value - zero point) * scale.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    func.func @main(%x: tensor<4x!x>) -> tensor<4xf32> {
      %y = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_TensorOf<[Nn_PerTensor8, Nn_Symmetric16]>:$input);
  let results = (outs Nn_TensorOf<[F32, F16]>:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_CastOp : Nn_ConversionOp<"cast"> {
  let names = Nn_Names<"CAST", "CAST", "Cast", "cast", ["nnapi"]>;
  let summary = "the same numbers in another type";
  let description = [{
    Ignores scales and zero points: a quantized value counts as its stored integer. Floats are rounded towards zero to
    integers; values out of the result type's range become the nearest one, NaN becomes 0. With `wraps`, integers out of
    range keep their low bits instead. Numbers become the nearest f16 or bf16 by way of f32. No other operation computes with
    bf16; those that move elements take it.

    ```mlir
    func.func @main(%x: tensor<4xi64>) -> tensor<4xi32> {
      %y = nn.cast %x wraps : (tensor<4xi64>) -> tensor<4xi32>
      return %y : tensor<4xi32>
    }
    ```
  }];
  let arguments = (ins Nn_Value:$input, UnitAttr:$wraps);
  let results = (outs Nn_Value:$output);
  let assemblyFormat = "$input (`wraps` $wraps^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNQUANTOPS_TD
