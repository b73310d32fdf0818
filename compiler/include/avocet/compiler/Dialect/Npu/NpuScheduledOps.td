//===- NpuScheduledOps.td - Transfers and tiles on buffers -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPUSCHEDULEDOPS_TD
#define AVOCET_COMPILER_DIALECT_NPUSCHEDULEDOPS_TD

include "avocet/compiler/Dialect/Npu/NpuBase.td"

def Npu_ProgramOp : Npu_Op<"program", [IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments, Symbol,
                                       RegionKindInterface]> {
  let summary = "one network as a list of transfers and tile operations";
  let description = [{
    `inputs` and `outputs` describe the network's operands in graph order: one dictionary each, with `type` (the storage
    tensor) and all attributes of the function's argument or result (name, quantization). `layers` describes the layer
    table: one dictionary each, with name, op, engine and the roofline terms. Support/ProgramAttrs.h lists all names.
    The sizes are set by allocation.

    ```mlir
    npu.program @main attributes {
        target = "e256", inputs = [{type = tensor<4x2x1xi8>} ], outputs = [{type = tensor<2x2x1xi8>} ],
        layers = [{engine = "mac", name = "pool", op = "MAX_POOL_2D"} ]} {
      %in = npu.buffer input 8
      %x = npu.buffer sram 8 "x" proposed 0
      %y = npu.buffer sram 4 "y" proposed 16
      %out = npu.buffer output 4
      npu.dma %in, %x {runBytes = 8}
      npu.tile_pool %x, %y {
          input = {4x2x1xi8},
          output = {2x2x1xi8},
          window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127},
          block = {height = 2, width = 2}} layer 0
      npu.dma %y, %out {runBytes = 4}
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, ArrayAttr:$inputs, ArrayAttr:$outputs,
                       ArrayAttr:$layers, OptionalAttr<I64Attr>:$sramBytes, OptionalAttr<I64Attr>:$scratchBytes,
                       OptionalAttr<I64Attr>:$constantsBytes, OptionalAttr<I64Attr>:$predictedCycles);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name custom<Tables>(attr-dict) $body";
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) { return ::mlir::RegionKind::SSACFG; }
    bool isAllocated() { return getSramBytes().has_value(); }
  }];
  let hasVerifier = 1;
}

def Npu_BufferOp : Npu_Op<"buffer", [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "declares a buffer";
  let description = [{
    `index` is the number of the network input or output, 0 for the other spaces. `address` is the byte offset in SRAM
    or in the region. `proposal` is the address that the scheduler assigned; allocation uses the proposals if all of
    them together are valid. `contents` of a constants buffer lists its segments; bytes outside all segments are 0.

    The text has the ranges of each constant, SOURCE+SIZE. A segment lies after the one before it, unless `at` gives its
    place in the buffer.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %weights = npu.buffer constants 40 "weights" contents [
          dense<1> : tensor<16xi8> [0+16], dense<2> : tensor<48xi8> [8+4, 12+8 at 32] ]
      %tile = npu.buffer sram 40 at 64
      npu.dma %weights, %tile {runBytes = 40}
    }
    ```
  }];
  let arguments = (ins Npu_Space:$space, DefaultValuedAttr<I64Attr, "0">:$index, I64Attr:$bytes,
                       OptionalAttr<I64Attr>:$address, OptionalAttr<I64Attr>:$proposal,
                       OptionalAttr<ArrayAttr>:$contents, OptionalAttr<StrAttr>:$name);
  let results = (outs Npu_Buffer:$result);
  let assemblyFormat = [{
    $space $bytes ($name^)? (`index` $index^)? (`at` $address^)? (`proposed` $proposal^)?
    (`contents` custom<Contents>($contents)^)? attr-dict
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "Space":$space, "int64_t":$index, "int64_t":$bytes, CArg<"::llvm::StringRef", "{}">:$name)>];
}

class Npu_ScheduledOp<string mnemonic, string commandType, string engineKind, string engineIndex = "0">
    : Npu_Op<mnemonic, [DeclareOpInterfaceMethods<Npu_CommandOpInterface, ["getEngine"]>]> {
  let arguments = (ins Variadic<Npu_Buffer>:$buffers, Npu_CommandProp<commandType>:$command,
                       DefaultValuedAttr<I32Attr, "-1">:$layer);
  let assemblyFormat = "$buffers custom<Command>($command) (`layer` $layer^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::avocet::firmware::Engine $cppClass::getEngine() {
      return {::avocet::firmware::EngineKind::}] # engineKind # [{, static_cast<uint32_t>(}] # engineIndex # [{)};
    }
  }];
}

def Npu_DmaOp : Npu_ScheduledOp<"dma", "DmaCommand", "Dma", "getChannel()"> {
  let summary = "a transfer between SRAM and a region";
  let description = [{
    Buffers: source (not for fills), destination. `channel` is the DMA channel that runs the transfer.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %from = npu.buffer scratch 256
      %to = npu.buffer sram 128
      npu.dma %from, %to {source = {stride0 = 64}, destination = {stride0 = 32}, runBytes = 32, count0 = 4} channel 1
      npu.dma %to {kind = fill, runBytes = 64, fillValue = 255}
    }
    ```
  }];
  let arguments = (ins Variadic<Npu_Buffer>:$buffers, Npu_CommandProp<"DmaCommand">:$command,
                       DefaultValuedAttr<I32Attr, "-1">:$layer, DefaultValuedAttr<I32Attr, "0">:$channel);
  let assemblyFormat = [{
    $buffers custom<Command>($command) (`channel` $channel^)? (`layer` $layer^)? attr-dict
  }];
}

def Npu_TileConvOp : Npu_ScheduledOp<"tile_conv", "ConvCommand", "Mac"> {
  let summary = "convolution of one tile";
  let description = [{
    Buffers: input, output, weights, records, dynamic scale if present, table if present, addend if present.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = [{name = "a"} ]} {
      %x = npu.buffer sram 128
      %y = npu.buffer sram 256
      %w = npu.buffer sram 128
      %r = npu.buffer sram 192
      npu.tile_conv %x, %y, %w, %r {
          input = {4x4x8xi8, zeroPoint = 3},
          output = {4x4x16xi8},
          weightBytes = 128, clamp = {min = -128, max = 127}, block = {height = 4, width = 4, channels = 16}} layer 0
    }
    ```
  }];
}
def Npu_TilePoolOp : Npu_ScheduledOp<"tile_pool", "PoolCommand", "Mac"> {
  let summary = "pool of one tile";
  let description = [{
    Buffers: input, output.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = [{name = "a"} ]} {
      %x = npu.buffer sram 128
      %y = npu.buffer sram 32
      npu.tile_pool %x, %y {
          input = {4x4x8xi8},
          output = {2x2x8xi8},
          window = {kernelHeight = 2, kernelWidth = 2, strideHeight = 2, strideWidth = 2},
          clamp = {min = -128, max = 127}, block = {height = 2, width = 2, channels = 8}} layer 0
    }
    ```
  }];
}
def Npu_TileEltwiseOp : Npu_ScheduledOp<"tile_eltwise", "EltwiseCommand", "Mac"> {
  let summary = "element-wise operation of one tile";
  let description = [{
    Buffers: the two inputs, output.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = [{name = "a"} ]} {
      %a = npu.buffer sram 32
      %b = npu.buffer sram 32
      %y = npu.buffer sram 32
      npu.tile_eltwise %a, %b, %y {
          kind = max,
          inputA = {1x4x8xi8},
          inputB = {1x4x8xi8},
          output = {1x4x8xi8},
          clamp = {min = -128, max = 127}, block = {width = 4, channels = 8}} layer 0
    }
    ```
  }];
}
def Npu_TileLookupOp : Npu_ScheduledOp<"tile_lookup", "LookupCommand", "Mac"> {
  let summary = "table look-up of one tile";
  let description = [{
    Buffers: input, output, table.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = [{name = "a"} ]} {
      %x = npu.buffer sram 32
      %y = npu.buffer sram 32
      %t = npu.buffer sram 256
      npu.tile_lookup %x, %y, %t {
          input = {1x4x8xi8},
          output = {1x4x8xi8},
          block = {width = 4, channels = 8}} layer 0
    }
    ```
  }];
}
def Npu_TileDspOp : Npu_ScheduledOp<"tile_dsp", "DspCommand", "Dsp"> {
  let summary = "DSP kernel over one tile";
  let description = [{
    Buffers: inputs, outputs.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = [{name = "a"} ]} {
      %x = npu.buffer sram 16
      %y = npu.buffer sram 16
      npu.tile_dsp %x, %y {
          kernel = 1,
          inputs = [{1x1x4xf32} ],
          outputs = [{1x1x4xf32} ],
          parameters = [0, 0, 0, 1065353216]} layer 0
    }
    ```
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NPUSCHEDULEDOPS_TD
