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
  let description = "The numbers are those of NNAPI; none of them is 5.";
  let cppNamespace = "::avocet::compiler::nn";
  let genSpecializedAttr = 0;
}
def Nn_CellActivationAttr : EnumAttr<Nn_Dialect, Nn_CellActivationKind, "cell_activation">;

/// States are values: operands hold them before the step, results after it. All have one element type.
class Nn_CellOp<string mnemonic, list<Trait> traits = []> : Nn_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Nn_LstmCellOp : Nn_CellOp<"lstm_cell", [AttrSizedOperandSegments]> {
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
  }];
  let arguments = (ins Nn_FloatOnly:$input, Nn_FloatOnly:$outputState, Nn_FloatOnly:$cellState,
                       Variadic<Nn_FloatOnly>:$inputWeights, Variadic<Nn_FloatOnly>:$recurrentWeights,
                       Variadic<Nn_FloatOnly>:$peepholes, Variadic<Nn_FloatOnly>:$biases,
                       Variadic<Nn_FloatOnly>:$projection, Variadic<Nn_FloatOnly>:$layerNorm,
                       Nn_CellActivationAttr:$activation, DefaultValuedAttr<F32Attr, "0.0f">:$cellClip,
                       DefaultValuedAttr<F32Attr, "0.0f">:$projectionClip, UnitAttr:$batchMajor);
  let results = (outs Nn_FloatOnly:$gates, Nn_FloatOnly:$outputStateOut, Nn_FloatOnly:$cellStateOut,
                      Nn_FloatOnly:$output);
  let assemblyFormat = [{
    `` $activation $input `state` `(` $outputState `,` $cellState `)` `input` `(` $inputWeights `)`
    `recurrent` `(` $recurrentWeights `)` (`peephole` `(` $peepholes^ `)`)? `bias` `(` $biases `)`
    (`projection` `(` $projection^ `)`)? (`layer_norm` `(` $layerNorm^ `)`)? (`cell_clip` $cellClip^)?
    (`projection_clip` $projectionClip^)? (`batch_major` $batchMajor^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Nn_RnnCellOp : Nn_CellOp<"rnn_cell"> {
  let summary = "act(weights * input + recurrentWeights * state + bias), as new state and as output";
  let description = [{
    `input` is one step or a sequence as in `nn.lstm_cell`, `weights` [units, features], `recurrentWeights` [units,
    units], `bias` [units], `state` [batch, units]. In the output, units replace features.
  }];
  let arguments = (ins Nn_FloatOnly:$input, Nn_FloatOnly:$weights, Nn_FloatOnly:$recurrentWeights, Nn_FloatOnly:$bias,
                       Nn_FloatOnly:$state, Nn_CellActivationAttr:$activation, UnitAttr:$batchMajor);
  let results = (outs Nn_FloatOnly:$stateOut, Nn_FloatOnly:$output);
  let assemblyFormat = [{
    `` $activation $input `,` $weights `,` $recurrentWeights `,` $bias `state` $state (`batch_major` $batchMajor^)?
    attr-dict `:`
    functional-type(operands, results)
  }];
}

def Nn_SvdfOp : Nn_CellOp<"svdf"> {
  let summary = "filters over the features, then over their own last activations";
  let description = [{
    `input` is [batch, features], `featureWeights` [filters, features], `timeWeights` [filters, memory], `bias` [units],
    `state` [batch, filters * memory]: for each filter its last activations, the newest last. `rank` filters make one
    unit of the output [batch, units].
  }];
  let arguments = (ins Nn_FloatOnly:$input, Nn_FloatOnly:$featureWeights, Nn_FloatOnly:$timeWeights,
                       Optional<Nn_FloatOnly>:$bias, Nn_FloatOnly:$state, I64Attr:$rank,
                       Nn_CellActivationAttr:$activation);
  let results = (outs Nn_FloatOnly:$stateOut, Nn_FloatOnly:$output);
  let assemblyFormat = [{
    `` $activation $input `,` $featureWeights `,` $timeWeights (`bias` $bias^)? `state` $state `rank` $rank attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNCELLOPS_TD
