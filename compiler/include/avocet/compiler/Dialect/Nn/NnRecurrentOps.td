//===- NnRecurrentOps.td - Recurrent layers ----------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNRECURRENTOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNRECURRENTOPS_TD

include "avocet/compiler/Dialect/Nn/NnBase.td"

def Nn_LstmOp : Nn_Op<"lstm", [AttrSizedOperandSegments]> {
  let names = Nn_Names<"UNIDIRECTIONAL_SEQUENCE_LSTM", "", "LSTM">;
  let shapes = "lstmShape(shapeOf(op.getInput()), shapeOfFirst(op.getRecurrentWeights()), errors)";
  let work = "recurrentWork(*this, getInputWeights(), {getRecurrentWeights()})";
  let summary = "LSTM over a whole sequence, from zero state";
  let description = [{
    The input is [batch, time, features], or [time, batch, features] with `timeMajor`; in the result, cells replace
    features. `inputWeights` and `recurrentWeights` are four matrices each, [cells, features] and [cells, cells],
    `biases` four vectors, all in the order input, forget, cell, output gate. There are no peepholes, projection or
    layer normalization; the activation of cell and hidden state is tanh. A clip of 0 does not clip.

    Quantized: int8 input, weights and result, int16 cell state of type `cellType` (a power-of-two scale), int32 biases.
    `hiddenType` is the quantization of the hidden state before it becomes the result.

    ```mlir
    func.func @main(%x: tensor<1x5x3xf32>, %w: tensor<2x3xf32>, %r: tensor<2x2xf32>, %b: tensor<2xf32>)
        -> tensor<1x5x2xf32> {
      %y = nn.lstm %x input(%w, %w, %w, %w) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) cell_clip 10.0
          : (tensor<1x5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>,
             tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
             tensor<2xf32>) -> tensor<1x5x2xf32>
      return %y : tensor<1x5x2xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Variadic<Nn_Weights>:$inputWeights, Variadic<Nn_Weights>:$recurrentWeights,
                       Variadic<Nn_Bias>:$biases, UnitAttr:$timeMajor, DefaultValuedAttr<F32Attr, "0.0f">:$cellClip,
                       OptionalAttr<TypeAttr>:$cellType, OptionalAttr<TypeAttr>:$hiddenType);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat = [{
    $input `input` `(` $inputWeights `)` `recurrent` `(` $recurrentWeights `)` `bias` `(` $biases `)`
    (`time_major` $timeMajor^)? (`cell_clip` $cellClip^)? (`cell` $cellType^)? (`hidden` $hiddenType^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNRECURRENTOPS_TD
