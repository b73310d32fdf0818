//===- NnCellOps.td - Single steps of recurrent layers -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNCELLOPS_TD
#define AVOCET_COMPILER_DIALECT_NN_NNCELLOPS_TD

include "avocet/compiler/Dialect/Nn/NnNormalizeOps.td"

def Nn_CellActivationKind : I32EnumAttr<"CellActivation", "function of a cell", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Relu", 1, "relu">,
    I32EnumAttrCase<"ReluN1To1", 2, "relu_n1_to_1">,
    I32EnumAttrCase<"Relu6", 3, "relu6">,
    I32EnumAttrCase<"Tanh", 4, "tanh">,
    I32EnumAttrCase<"Sigmoid", 6, "sigmoid">
  ]> {
  let description = [{
    The numbers are those of NNAPI; none of them is 5.

    ```mlir
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>,
                    %h: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
      %next, %y = nn.rnn_cell sigmoid %x, %w, %r, %b state %h
          : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>)
          -> (tensor<2x4xf32>, tensor<2x4xf32>)
      return %next, %y : tensor<2x4xf32>, tensor<2x4xf32>
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_CellActivationAttr : EnumAttr<Nn_Dialect, Nn_CellActivationKind, "cell_activation">;

/// Types of weights of cells: those of the values, or 8 bits beside f32 values (hybrid).
def Nn_CellBias : Nn_TensorOf<[F32, F16, I32]>;
def Nn_CellProjection : Nn_TensorOf<[F32, F16, Nn_PerTensor8, I32]>;

/// States are values: operands hold them before the step, results after it. All float values have one element type.
///
/// Weights of a hybrid cell are 8-bit numbers with zero point 0, its values f32. Every vector that such weights multiply
/// is first rounded to 8 bits with a scale of its own; with `asymmetric` it has a zero point too.
class Nn_CellOp<string mnemonic, list<Trait> traits = []> : Nn_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Nn_LstmCellOp : Nn_CellOp<"lstm_cell", [AttrSizedOperandSegments]> {
  let names = Nn_Names<"LSTM", "LSTM QUANTIZED_LSTM">;
  let shapes = "lstmCellShapes({shapeOf(op.getInput()), op.getBatchMajor()}, shapeOf(op.getOutputState()), "
               "shapeOf(op.getCellState()), op.getInputWeights().size(), errors)";
  let work = "recurrentWork(*this, getInputWeights(), {getRecurrentWeights(), getProjection()})";
  let summary = "one step of an LSTM, or the steps of a sequence";
  let description = [{
    `input` is [batch, features] for one step, [steps, batch, features] for a sequence, [batch, steps, features] with
    `batchMajor`; the output has the same extents, except that outputs replace features. `outputState` is [batch,
    outputs], `cellState` [batch, cells]. Groups of weights have one tensor for each gate, in the order input, forget,
    cell, output:

    - `inputWeights` [cells, features] and `recurrentWeights` [cells, outputs]: three of each instead of four couple the
      input gate to the forget gate (i = 1 - f), and all other groups then omit the input gate;
    - `peepholes` [cells]: none, or one for each gate except the cell gate;
    - `biases` [cells];
    - `projection`: none (outputs = cells), [outputs, cells], or that and a bias [outputs];
    - `layerNorm` [cells]: none, or one for each gate.

    Results are the gates after their activations in the last step [batch, gates * cells], the two states, and the
    output, which is the new output state of every step. A clip of 0 does not clip.

    All are of one float type, or weights and projection are those of a hybrid cell, or the cell is quantized: input,
    output state, output, weights and projection 8-bit signed, cell state 16-bit with a power of two as scale, peepholes
    and layer norm 16-bit, biases i32, gates 16-bit with scale 1/32768. `intermediates` are then the element types of the
    sums of the gates before normalization, in the order of the gates, and that of the hidden state before projection;
    the activation is tanh.

    ```mlir
    func.func @main(%x: tensor<2x5xf32>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %w: tensor<4x5xf32>,
                    %r: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
      %gates, %nextH, %nextC, %y = nn.lstm_cell tanh %x state(%h, %c)
          input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b)
          : (tensor<2x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>,
             tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
          -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
      return %nextH, %nextC, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real8:$input, Nn_Real8:$outputState, Nn_Real:$cellState, Variadic<Nn_Real8>:$inputWeights,
                       Variadic<Nn_Real8>:$recurrentWeights, Variadic<Nn_Real>:$peepholes,
                       Variadic<Nn_CellBias>:$biases, Variadic<Nn_CellProjection>:$projection,
                       Variadic<Nn_Real>:$layerNorm, Nn_CellActivationAttr:$activation,
                       DefaultValuedAttr<F32Attr, "0.0f">:$cellClip,
                       DefaultValuedAttr<F32Attr, "0.0f">:$projectionClip, UnitAttr:$batchMajor,
                       UnitAttr:$asymmetric, OptionalAttr<TypeArrayAttr>:$intermediates);
  let results = (outs Nn_Real:$gates, Nn_Real8:$outputStateOut, Nn_Real:$cellStateOut, Nn_Real8:$output);
  let assemblyFormat = [{
    `` $activation $input `state` `(` $outputState `,` $cellState `)` `input` `(` $inputWeights `)`
    `recurrent` `(` $recurrentWeights `)` (`peephole` `(` $peepholes^ `)`)? `bias` `(` $biases `)`
    (`projection` `(` $projection^ `)`)? (`layer_norm` `(` $layerNorm^ `)`)? (`cell_clip` $cellClip^)?
    (`projection_clip` $projectionClip^)? (`batch_major` $batchMajor^)? (`asymmetric` $asymmetric^)?
    (`intermediates` $intermediates^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_Quantized16bitLstmOp : Nn_CellOp<"quantized_16bit_lstm", [AttrSizedOperandSegments]> {
  let names = Nn_Names<"LSTM", "QUANTIZED_16BIT_LSTM">;
  let shapes = "quantizedLstmShapes(shapeOf(op.getInput()), shapeOf(op.getOutputState()), shapeOf(op.getCellState()), "
               "errors)";
  let work = "recurrentWork(*this, getInputWeights(), {getRecurrentWeights()})";
  let summary = "one step of an LSTM with 8-bit values and 16-bit gates";
  let description = [{
    `input` is [batch, features], `outputState` [batch, cells] with scale 1/128 and zero point 128, both unsigned with 8
    bits; `cellState` is [batch, cells] with 16 bits and scale 1/2048. Weights are unsigned with 8 bits and one scale and
    zero point for all: `inputWeights` [cells, features], `recurrentWeights` [cells, cells], `biases` i32 [cells], each
    for the gates input, forget, cell, output. A gate is rounded once, from the sum of all its products.

    ```mlir
    !x = !quant.uniform<u8:f32, 7.812500e-03:128>
    !w = !quant.uniform<u8:f32, 4.000000e-03:100>
    !c = !quant.uniform<i16:f32, 4.8828125E-4>
    func.func @main(%x: tensor<2x5x!x>, %h: tensor<2x4x!x>, %c: tensor<2x4x!c>, %w: tensor<4x5x!w>,
                    %r: tensor<4x4x!w>, %b: tensor<4xi32>) -> (tensor<2x4x!c>, tensor<2x4x!x>) {
      %nextC, %y = nn.quantized_16bit_lstm %x state(%h, %c)
          input(%w, %w, %w, %w) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b)
          : (tensor<2x5x!x>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x5x!w>,
             tensor<4x5x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4xi32>,
             tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
          -> (tensor<2x4x!c>, tensor<2x4x!x>)
      return %nextC, %y : tensor<2x4x!c>, tensor<2x4x!x>
    }
    ```
  }];
  let arguments = (ins Nn_Real8:$input, Nn_Real8:$outputState, Nn_Real:$cellState, Variadic<Nn_Real8>:$inputWeights,
                       Variadic<Nn_Real8>:$recurrentWeights, Variadic<Nn_CellBias>:$biases);
  let results = (outs Nn_Real:$cellStateOut, Nn_Real8:$output);
  let assemblyFormat = [{
    $input `state` `(` $outputState `,` $cellState `)` `input` `(` $inputWeights `)`
    `recurrent` `(` $recurrentWeights `)` `bias` `(` $biases `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_RnnCellOp : Nn_CellOp<"rnn_cell"> {
  let names = Nn_Names<"RNN", "RNN">;
  let shapes = "rnnCellShapes({shapeOf(op.getInput()), op.getBatchMajor()}, shapeOf(op.getState()), errors)";
  let work = "recurrentWork(*this, getWeights(), {getRecurrentWeights()})";
  let summary = "act(weights * input + recurrentWeights * state + bias), as new state and as output";
  let description = [{
    `input` is one step or a sequence as in `nn.lstm_cell`, `weights` [units, features], `recurrentWeights` [units,
    units], `bias` [units], `state` [batch, units]. In the output, units replace features.

    ```mlir
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>,
                    %h: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
      %next, %y = nn.rnn_cell relu %x, %w, %r, %b state %h
          : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>)
          -> (tensor<2x4xf32>, tensor<2x4xf32>)
      return %next, %y : tensor<2x4xf32>, tensor<2x4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_FloatOnly:$input, Nn_Real8:$weights, Nn_Real8:$recurrentWeights, Nn_FloatOnly:$bias,
                       Nn_FloatOnly:$state, Nn_CellActivationAttr:$activation, UnitAttr:$batchMajor,
                       UnitAttr:$asymmetric);
  let results = (outs Nn_FloatOnly:$stateOut, Nn_FloatOnly:$output);
  let assemblyFormat = [{
    `` $activation $input `,` $weights `,` $recurrentWeights `,` $bias `state` $state (`batch_major` $batchMajor^)?
    (`asymmetric` $asymmetric^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_SvdfOp : Nn_CellOp<"svdf"> {
  let names = Nn_Names<"SVDF", "SVDF">;
  let shapes = "svdfShapes(shapeOf(op.getInput()), shapeOf(op.getFeatureWeights()), shapeOf(op.getTimeWeights()), "
               "shapeOf(op.getState()), static_cast<int64_t>(op.getRank()), errors)";
  let work = "recurrentWork(*this, getFeatureWeights(), {getTimeWeights()})";
  let summary = "filters over the features, then over their own last activations";
  let description = [{
    `input` is [batch, features], `featureWeights` [filters, features], `timeWeights` [filters, memory], `bias` [units],
    `state` [batch, filters * memory]: for each filter its last activations, the newest last. `rank` filters make one
    unit of the output [batch, units].

    All are of one float type, or `featureWeights` are those of a hybrid cell, or the cell is quantized: input, feature
    weights and output 8-bit signed, time weights and state both 16-bit or both 8-bit signed, bias i32. An 8-bit state
    may have a zero point. A quantized cell has no activation.

    ```mlir
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %t: tensor<4x3xf32>, %b: tensor<2xf32>,
                    %s: tensor<2x12xf32>) -> (tensor<2x12xf32>, tensor<2x2xf32>) {
      %next, %y = nn.svdf none %x, %w, %t bias %b state %s rank 2
          : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<2xf32>, tensor<2x12xf32>)
          -> (tensor<2x12xf32>, tensor<2x2xf32>)
      return %next, %y : tensor<2x12xf32>, tensor<2x2xf32>
    }
    ```
  }];
  let arguments = (ins Nn_Real8:$input, Nn_Real8:$featureWeights, Nn_Real:$timeWeights, Optional<Nn_CellBias>:$bias,
                       Nn_Real:$state, I64Attr:$rank, Nn_CellActivationAttr:$activation, UnitAttr:$asymmetric);
  let results = (outs Nn_Real:$stateOut, Nn_Real8:$output);
  let assemblyFormat = [{
    `` $activation $input `,` $featureWeights `,` $timeWeights (`bias` $bias^)? `state` $state `rank` $rank
    (`asymmetric` $asymmetric^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNCELLOPS_TD
