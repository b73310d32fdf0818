//===- NnDialect.td - Contract of the nn dialect -----------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNDIALECT_TD
#define AVOCET_COMPILER_DIALECT_NN_NNDIALECT_TD

include "mlir/IR/DialectBase.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::avocet::compiler::nn";
  let summary = "Graph level: what a network computes, independent of any device";
  let description = [{
    The dialect of imported networks. An importer produces it, the passes of phase `nn` simplify it, and the placement
    conversion consumes all of it: no `nn` operation survives the `place` phase.

    What may appear
    - One function per network, single block, ended by `func.return`. Arguments and results are the network's inputs
      and outputs in graph order; the attributes `nn.name` on arguments and results hold their names.
    - States of the network: the last arguments, with their first values in `nn.initial_state`, and the last results in
      the same order, their next values.
    - Operations of this dialect on ranked tensors of static shape, in data flow form. No operation has a side effect:
      states of cells (`nn.lstm_cell`, `nn.rnn_cell`, `nn.svdf`) are operands and results. `nn.lstm` starts at zero
      with each inference.
    - Element types: `f32`, `f16`, plain integers (`i64`, `i32`, `i16`, `i8`, `ui8`), truth values (`i1`);
      `!quant.uniform` with 8-bit storage, signed or unsigned, per tensor or (weights) per axis, and with signed 16-bit
      storage per tensor. Biases are plain integers whose scale is input scale times weight scale. Operand constraints
      define the types of each operation.
    - Images are NHWC. Filters of `nn.conv_2d` are OHWI, of `nn.depthwise_conv_2d` 1HWO, weights of
      `nn.fully_connected` are [output, input].

    What may not
    - Implicit padding: windows have `[top, bottom, left, right]` in elements.
    - Implicit quantization: a value changes scale only in an operation whose types show it.
    - Copies of weights: constants are resource blobs that point into the imported file, which stays mapped while the
      context exists.

    Integer operations equal the TFLite reference kernels bit for bit; the placement conversion converts their scales to
    the device's fixed-point parameters.

    The location of an operation is a `NameLoc` with the name of the tensor that it defines; reports use it as layer
    name.

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5:-3>
    !w = !quant.uniform<i8:f32:0, {0.1, 0.2}>
    func.func @main(%x: tensor<1x4x4x3x!x> {nn.name = "image"}) -> (tensor<1x2x!x> {nn.name = "scores"}) {
      %w = nn.constant dense<1> : tensor<2x3x3x3xi8> as tensor<2x3x3x3x!w>
      %b = nn.constant dense<[5, -6]> : tensor<2xi32>
      %0 = nn.conv_2d %x, %w, %b activation relu
          : (tensor<1x4x4x3x!x>, tensor<2x3x3x3x!w>, tensor<2xi32>) -> tensor<1x2x2x2x!x>
      %1 = nn.mean %0 axes [1, 2] : (tensor<1x2x2x2x!x>) -> tensor<1x2x!x>
      return %1 : tensor<1x2x!x>
    }
    ```
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect", "::mlir::func::FuncDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNDIALECT_TD
