//===- PipelinePasses.td - Passes on modules of any phase --*- tablegen -*-===//
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

#ifndef AVOCET_COMPILER_LIB_PIPELINE_PIPELINEPASSES_TD
#define AVOCET_COMPILER_LIB_PIPELINE_PIPELINEPASSES_TD

include "avocet/compiler/Support/PassKinds.td"

def BorderPass : RequiredPass<"avocet-border", "::mlir::ModuleOp"> {
  let summary = "Check that a module is what a phase leaves, and record the phase";
  let description = [{
    Checks which operations the module holds, runs the verifiers of all operations, and checks the contract of the
    phase. Then sets the module attribute `avocet.phase`. The pipeline of each phase ends with this pass.

    Command: `avocet-opt --avocet-border="phase=import"`

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.clamp relu6 %x : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    module attributes {avocet.phase = "import"} {
      func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        %0 = nn.clamp relu6 %arg0 : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"phaseName", "phase", "std::string", "",
           "the phase that wrote the module: one of import, nn, place, schedule, allocate and cmd">,
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file; its memory sizes matter after the phase allocate">
  ];
}

def CompilePass : RequiredPass<"avocet-compile", "::mlir::ModuleOp"> {
  let summary = "Run the phases after `start-at` up to `stop-after`";
  let description = [{
    Runs the pipelines of the phases in order; each ends with its border (`avocet-border`). The IR after any phase
    can be written to a file and compiled further.

    Command: `avocet-opt --avocet-compile="start-at=import stop-after=place"`

    Before:

    ```mlir
    !x = !quant.uniform<i8:f32, 0.5>
    func.func @main(%x: tensor<1x4x2x1x!x>) -> tensor<1x2x2x1x!x> {
      %0 = nn.max_pool_2d %x kernel [2, 1] stride [2, 1] : (tensor<1x4x2x1x!x>) -> tensor<1x2x2x1x!x>
      return %0 : tensor<1x2x2x1x!x>
    }
    ```

    After:

    ```mlir
    !perTensor = !quant.uniform<i8:f32, 5.000000e-01>
    module attributes {avocet.phase = "place"} {
      func.func @main(%arg0: tensor<4x2x1xi8> {npu.network_type = tensor<1x4x2x1x!perTensor>}) -> (tensor<2x2x1xi8> {npu.network_type = tensor<1x2x2x1x!perTensor>}) attributes {npu.layers = [{computeCycles = 1 : i64, deviceCycles = 2 : i64, name = "", op = "MAX_POOL_2D", rooflineCycles = 1 : i64} ]} {
        %0 = npu.pool %arg0 {window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}} layer 0 : tensor<4x2x1xi8> -> tensor<2x2x1xi8>
        return %0 : tensor<2x2x1xi8>
      }
    }
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file">,
    Option<"startAt", "start-at", "std::string", "",
           "last phase that the module has passed (one of import, nn, place, schedule, allocate and cmd); the default is the module attribute `avocet.phase`">,
    Option<"stopAfter", "stop-after", "std::string", "\"cmd\"",
           "last phase to run: one of import, nn, place, schedule, allocate and cmd">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::quant::QuantDialect",
                           "::avocet::compiler::nn::NnDialect",
                           "::avocet::compiler::npu::NpuDialect",
                           "::avocet::compiler::cmd::CmdDialect"];
}

#endif // AVOCET_COMPILER_LIB_PIPELINE_PIPELINEPASSES_TD
