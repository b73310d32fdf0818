//===- SchedulePasses.td - Passes on the npu dialect -------*- tablegen -*-===//
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

#ifndef AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_TD
#define AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_TD

include "avocet/compiler/Support/PassKinds.td"

def SchedulePass : RequiredPass<"npu-schedule", "::mlir::ModuleOp"> {
  let summary = "Schedule placed functions as programs of transfers and tiles";
  let description = [{
    Each placed function becomes an `npu.program`: buffers, and one list of transfers and tiles in an order that is
    correct when run sequentially. Tensors that do not fit in SRAM are processed in stripes or pieces. The layer
    table gets engines and the bytes of operands for reports. `compiler/lib/Schedule/README.md`
    describes the algorithm.

    A network that does not fit is refused with a reason.

    The module's attribute `avocet.hints` fixes parts of the schedule (`compiler/docs/Hints.md`). The pass removes it.

    Command: `avocet-opt --npu-schedule="target=e256"`

    Before:

    ```mlir
    func.func @main(%x: tensor<4x2x1xi8>) -> tensor<2x2x1xi8> attributes {npu.layers = [{name = "pool", op = "MAX_POOL_2D"} ]} {
      %0 = npu.pool %x {window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}} layer 0 : tensor<4x2x1xi8> -> tensor<2x2x1xi8>
      return %0 : tensor<2x2x1xi8>
    }
    ```

    After:

    ```mlir
    module {
      npu.program @main attributes {inputs = [{type = tensor<4x2x1xi8>} ], layers = [{engine = "mac", inputBytes = 8 : i64, name = "pool", op = "MAX_POOL_2D", outputBytes = 4 : i64} ], outputs = [{type = tensor<2x2x1xi8>} ], predictedCycles = 452 : i64, target = "e256"} {
        %r0 = npu.buffer sram 8 "r0" proposed 0
        %r1 = npu.buffer sram 4 "r1" proposed 16
        %in = npu.buffer input 8 "in"
        %out = npu.buffer output 4 "out"
        npu.dma %in, %r0 {runBytes = 8}
        npu.tile_pool %r0, %r1 {input = {4x2x1xi8}, output = {2x2x1xi8}, window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}, block = {height = 2, width = 2}} layer 0
        npu.dma %r1, %out {runBytes = 4}
      }
    }
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file">
  ];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

def AllocatePass : RequiredPass<"npu-allocate", "::mlir::ModuleOp"> {
  let summary = "Assign addresses to the buffers of programs";
  let description = [{
    The addresses that the scheduler proposed are used if all of them together are valid. Otherwise each memory is
    allocated anew. Constants are laid out in order of first use, which is the order in which the device reads them.
    Buffers without uses are removed. The programs get the sizes of their memories.

    Command: `avocet-opt --npu-allocate="target=e256"`

    Before:

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [{type = tensor<4x2x1xi8>} ], outputs = [{type = tensor<4x2x1xi8>} ], layers = []} {
      %tile = npu.buffer sram 8 proposed 64
      %in = npu.buffer input 8
      %out = npu.buffer output 8
      npu.dma %in, %tile {runBytes = 8}
      npu.dma %tile, %out {runBytes = 8}
    }
    ```

    After:

    ```mlir
    module {
      npu.program @main attributes {constantsBytes = 0 : i64, inputs = [{type = tensor<4x2x1xi8>} ], layers = [], outputs = [{type = tensor<4x2x1xi8>} ], scratchBytes = 0 : i64, sramBytes = 72 : i64, target = "e256"} {
        %sram = npu.buffer sram 8 at 64
        %input = npu.buffer input 8 at 0
        %output = npu.buffer output 8 at 0
        npu.dma %input, %sram {runBytes = 8}
        npu.dma %sram, %output {runBytes = 8}
      }
    }
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file">
  ];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

def VerifyPlacedPass : RequiredPass<"npu-verify-placed", "::mlir::ModuleOp"> {
  let summary = "Check that a module is what placement leaves";
  let description = [{
    Checks that functions have one block, storage tensors of rank 3 as operands, a layer table, and only placed
    operations. Changes nothing.

    Command: `avocet-opt --npu-verify-placed`

    Before and after:

    ```mlir
    module {
      func.func @main(%arg0: tensor<4x2x1xi8>) -> tensor<2x2x1xi8> attributes {npu.layers = [{name = "pool", op = "MAX_POOL_2D"} ]} {
        %0 = npu.pool %arg0 {window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}} layer 0 : tensor<4x2x1xi8> -> tensor<2x2x1xi8>
        return %0 : tensor<2x2x1xi8>
      }
    }
    ```

    Refused:

    ```mlir
    func.func @main(%x: tensor<4x2xi8>) -> tensor<4x2xi8> attributes {npu.layers = []} {
      return %x : tensor<4x2xi8>
    }
    ```

    Error:

    ```text
    error: argument type 'tensor<4x2xi8>' is no storage tensor of rank 3
    ```
  }];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

def VerifyScheduledPass : RequiredPass<"npu-verify-scheduled", "::mlir::ModuleOp"> {
  let summary = "Check that a module is what scheduling leaves";
  let description = [{
    Checks that programs hold only buffers, transfers and tiles. The bytes that a command accesses must be inside
    its buffers, and tiles must work in SRAM. The kernels of the program's target must accept the tiles: types, shapes,
    windows, blocks, parameters. Changes nothing.

    Command: `avocet-opt --npu-verify-scheduled`

    Before and after:

    ```mlir
    module {
      npu.program @main attributes {inputs = [], layers = [], outputs = [], target = "e256"} {
        %scratch = npu.buffer scratch 16
        %sram = npu.buffer sram 16
        npu.dma %scratch, %sram {runBytes = 16}
      }
    }
    ```

    Refused:

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %from = npu.buffer scratch 16
      %to = npu.buffer sram 16
      npu.dma %from, %to {runBytes = 17}
    }
    ```

    Error:

    ```text
    error: a transfer accesses bytes outside its buffer
    ```
  }];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

def VerifyAllocatedPass : RequiredPass<"npu-verify-allocated", "::mlir::ModuleOp"> {
  let summary = "Check that a module is what allocation leaves";
  let description = [{
    Does the checks of `npu-verify-scheduled`. In addition, programs must have sizes that the target provides, and
    each buffer an address inside its memory. Changes nothing.

    Command: `avocet-opt --npu-verify-allocated="target=e256"`

    Before and after:

    ```mlir
    module {
      npu.program @main attributes {constantsBytes = 0 : i64, inputs = [], layers = [], outputs = [], scratchBytes = 16 : i64, sramBytes = 16 : i64, target = "e256"} {
        %scratch = npu.buffer scratch 16 at 0
        %sram = npu.buffer sram 16 at 0
        npu.dma %scratch, %sram {runBytes = 16}
      }
    }
    ```

    Refused:

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = [], sramBytes = 16 : i64, scratchBytes = 0 : i64, constantsBytes = 0 : i64} {
      %tile = npu.buffer sram 16 at 8
    }
    ```

    Error:

    ```text
    error: 'npu.buffer' op leaves its space of 16 bytes
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"e256\"",
           "name of a shipped target, or path of a target file">
  ];
  let dependentDialects = ["::avocet::compiler::npu::NpuDialect",
                           "::mlir::func::FuncDialect"];
}

#endif // AVOCET_COMPILER_SCHEDULE_SCHEDULEPASSES_TD
