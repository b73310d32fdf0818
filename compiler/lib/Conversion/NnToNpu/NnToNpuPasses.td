//===- NnToNpuPasses.td - The placement pass ---------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_NNTONPU_PASSES_TD
#define AVOCET_COMPILER_CONVERSION_NNTONPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNnToNpuPass : Pass<"convert-nn-to-npu", "::mlir::ModuleOp"> {
  let summary = "Place the operations of a network on the engines of the device";
  let description = [{
    Convolutions, pools and element-wise operations are placed on the MAC array, all others on the vector DSP. Scales
    become fixed-point multipliers, activations become clamps, weights are stored in the order in which the array reads
    them, functions of 8-bit values become tables, and reshapes become views.

    ```mlir
    %y = nn.conv_2d %x, %w, %b activation relu : (tensor<1x8x8x16x!x>, ...) -> tensor<1x8x8x32x!y>
    ```
    becomes
    ```mlir
    %weights = npu.constant dense_resource<weights0> : tensor<512xi8>
    %records = npu.constant dense_resource<records0> : tensor<384xi8>
    %y = npu.conv %x, %weights, %records <{command = {...}, layer = 0 : i32}>
       : tensor<8x8x16xi8>, tensor<512xi8>, tensor<384xi8> -> tensor<8x8x32xi8>
    ```
  }];
  let options = [Option<"targetName", "target", "std::string", "\"e256\"",
                        "shipped profile or path of a target file">];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect", "::mlir::func::FuncDialect"];
}

#endif // AVOCET_COMPILER_CONVERSION_NNTONPU_PASSES_TD
