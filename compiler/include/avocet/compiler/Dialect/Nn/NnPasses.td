//===- NnPasses.td - Passes on the nn dialect --------------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNPASSES_TD
#define AVOCET_COMPILER_DIALECT_NN_NNPASSES_TD

include "mlir/Pass/PassBase.td"

def FusePadPass : Pass<"nn-fuse-pad", "::mlir::func::FuncOp"> {
  let summary = "Move padding of rows and columns into the convolution that reads it";
  let description = [{
    Padding in a convolution is free, whereas a separate pad moves the whole tensor through memory. Max pools are not
    fused: their own padding is never the maximum, whereas an explicit zero may be.

    ```mlir
    %p = nn.pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] : ...
    %y = nn.conv_2d %p, %w : ...
    ```
    becomes
    ```mlir
    %y = nn.conv_2d %x, %w pad [1, 1, 1, 1] : ...
    ```
  }];
}

def FuseActivationPass : Pass<"nn-fuse-activation", "::mlir::func::FuncOp"> {
  let summary = "Turn a relu into the activation of its producer";
  let description = [{
    Applies if the producer has no other use and no activation yet and the relu keeps the element type, so that the
    clamp of the stored values is the same before and after.

    ```mlir
    %a = nn.add %x, %y : ...
    %r = nn.relu relu6 %a : ...
    ```
    becomes `%r = nn.add %x, %y activation relu6 : ...`.
  }];
}

def FuseRequantizePass : Pass<"nn-fuse-requantize", "::mlir::func::FuncOp"> {
  let summary = "Let operations read and write the other signedness if that is exact";
  let description = [{
    A requantisation between int8 and uint8 of the same scale whose zero points differ by 128 changes the representation
    but no real number. Networks with uint8 operands and int8 arithmetic have one at each input and output. Convolutions
    and fully connected layers read and write either form, so the requantisation is fused into them. It moves through
    softmax, max pool and reshape towards one of these.

    ```mlir
    %q = nn.quantize %x : (tensor<1x8x8x4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x8x8x4x!quant.uniform<i8:f32, 0.5>>
    %y = nn.conv_2d %q, %w, %b : ...
    ```
    becomes `%y = nn.conv_2d %x, %w, %b : ...`.
  }];
}

def OutlineControlFlowPass : Pass<"nn-outline-control-flow", "::mlir::ModuleOp"> {
  let summary = "Cut a network at its branches and loops into sections and a control program";
  let description = [{
    Each straight-line run of operations becomes a function. Values that cross its border are stored in memory, at the
    places in the attributes of arguments and results. A network without branches and loops is unchanged.

    ```mlir
    func.func @main(%c: tensor<1xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %y = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {
        %a = nn.add %x, %x : ...
        nn.yield %a : tensor<4xf32>
      } else {
        nn.yield %x : tensor<4xf32>
      }
      return %y : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    cmd.control [jump_if_false {region = 1, target = 3}, run, jump {target = 4}, run {section = 1}, end] ...
    func.func @main_0(%x: tensor<4xf32> {npu.region = 2 ...}) -> (tensor<4xf32> {npu.region = 3 ...}) { ... }
    func.func @main_1(%x: tensor<4xf32> {npu.region = 2 ...}) -> (tensor<4xf32> {npu.region = 3 ...}) { ... }
    ```
  }];
  let dependentDialects = ["::avocet::compiler::cmd::CmdDialect"];
}

#endif // AVOCET_COMPILER_DIALECT_NN_NNPASSES_TD
