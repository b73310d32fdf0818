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
    tensor) and all attributes of the function's argument or result (name, quantisation). `layers` describes the layer
    table: one dictionary each, with name, op, engine and the roofline terms. Support/ProgramAttrs.h lists all names.
    The sizes are set by allocation.

    ```mlir
    npu.program @main attributes {
        target = "e256", inputs = [{type = tensor<4x2x1xi8>} ], outputs = [{type = tensor<2x2x1xi8>} ],
        layers = [{engine = "mac", name = "pool", op = "MAX_POOL_2D"} ]} {
      %in = npu.buffer input 8
      %x = npu.buffer sram 8 {name = "x", proposal = 0 : i64}
      %y = npu.buffer sram 4 {name = "y", proposal = 16 : i64}
      %out = npu.buffer output 4
      npu.dma %in, %x <{command = {runBytes = 8}, layer = -1 : i32}>
      npu.tile_pool %x, %y <{
          command = {
            input = {height = 4, width = 2, channels = 1, ringRows = 4, rowStride = 2, pixelStride = 1},
            output = {height = 2, width = 2, channels = 1, ringRows = 2, rowStride = 2, pixelStride = 1},
            window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127},
            block = {height = 2, width = 2}},
          layer = 0 : i32}>
      npu.dma %y, %out <{command = {runBytes = 4}, layer = -1 : i32}>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, ArrayAttr:$inputs, ArrayAttr:$outputs,
                       ArrayAttr:$layers, OptionalAttr<I64Attr>:$sramBytes, OptionalAttr<I64Attr>:$scratchBytes,
                       OptionalAttr<I64Attr>:$constantsBytes, OptionalAttr<I64Attr>:$predictedCycles);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
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

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %weights = npu.buffer constants 32 {name = "weights", contents = [
          #npu.segment<data = dense<1> : tensor<48xi8>, source = 16, size = 32, offset = 0>]}
      %tile = npu.buffer sram 32 {address = 64 : i64}
      npu.dma %weights, %tile <{command = {runBytes = 32}, layer = -1 : i32}>
    }
    ```
  }];
  let arguments = (ins Npu_Space:$space, DefaultValuedAttr<I64Attr, "0">:$index, I64Attr:$bytes,
                       OptionalAttr<I64Attr>:$address, OptionalAttr<I64Attr>:$proposal,
                       OptionalAttr<ArrayAttr>:$contents, OptionalAttr<StrAttr>:$name);
  let results = (outs Npu_Buffer:$result);
  let assemblyFormat = "$space $bytes attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "Space":$space, "int64_t":$index, "int64_t":$bytes, CArg<"::llvm::StringRef", "{}">:$name)>];
}

class Npu_ScheduledOp<string mnemonic, string commandType, string engineKind, string engineIndex = "0">
    : Npu_Op<mnemonic, [DeclareOpInterfaceMethods<Npu_CommandOpInterface, ["getEngine"]>]> {
  let arguments = (ins Variadic<Npu_Buffer>:$buffers, Npu_CommandProp<commandType>:$command, I32Attr:$layer);
  let assemblyFormat = "$buffers prop-dict attr-dict";
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
      npu.dma %from, %to <{
          command = {source = {stride0 = 64}, destination = {stride0 = 32}, runBytes = 32, count0 = 4},
          layer = -1 : i32, channel = 1 : i32}>
      npu.dma %to <{command = {kind = "fill", runBytes = 64, fillValue = 255}, layer = -1 : i32}>
    }
    ```
  }];
  let arguments = (ins Variadic<Npu_Buffer>:$buffers, Npu_CommandProp<"DmaCommand">:$command, I32Attr:$layer,
                       DefaultValuedAttr<I32Attr, "0">:$channel);
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
      npu.tile_conv %x, %y, %w, %r <{
          command = {
            input = {height = 4, width = 4, channels = 8, ringRows = 4, rowStride = 32, pixelStride = 8, zeroPoint = 3},
            output = {height = 4, width = 4, channels = 16, ringRows = 4, rowStride = 64, pixelStride = 16},
            weightBytes = 128, clamp = {min = -128, max = 127}, block = {height = 4, width = 4, channels = 16}},
          layer = 0 : i32}>
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
      npu.tile_pool %x, %y <{
          command = {
            input = {height = 4, width = 4, channels = 8, ringRows = 4, rowStride = 32, pixelStride = 8},
            output = {height = 2, width = 2, channels = 8, ringRows = 2, rowStride = 16, pixelStride = 8},
            window = {kernelHeight = 2, kernelWidth = 2, strideHeight = 2, strideWidth = 2},
            clamp = {min = -128, max = 127}, block = {height = 2, width = 2, channels = 8}},
          layer = 0 : i32}>
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
      npu.tile_eltwise %a, %b, %y <{
          command = {
            kind = "max",
            inputA = {height = 1, width = 4, channels = 8, ringRows = 1, rowStride = 32, pixelStride = 8},
            inputB = {height = 1, width = 4, channels = 8, ringRows = 1, rowStride = 32, pixelStride = 8},
            output = {height = 1, width = 4, channels = 8, ringRows = 1, rowStride = 32, pixelStride = 8},
            clamp = {min = -128, max = 127}, block = {width = 4, channels = 8}},
          layer = 0 : i32}>
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
      npu.tile_lookup %x, %y, %t <{
          command = {
            input = {height = 1, width = 4, channels = 8, ringRows = 1, rowStride = 32, pixelStride = 8},
            output = {height = 1, width = 4, channels = 8, ringRows = 1, rowStride = 32, pixelStride = 8},
            block = {width = 4, channels = 8}},
          layer = 0 : i32}>
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
      npu.tile_dsp %x, %y <{
          command = {
            kernel = 1,
            inputs = [{type = "f32", height = 1, width = 1, channels = 4, ringRows = 1, rowStride = 16, pixelStride = 16} ],
            outputs = [{type = "f32", height = 1, width = 1, channels = 4, ringRows = 1, rowStride = 16, pixelStride = 16} ],
            parameters = [0, 0, 0, 1065353216]},
          layer = 0 : i32}>
    }
    ```
  }];
}

#endif // AVOCET_COMPILER_DIALECT_NPUSCHEDULEDOPS_TD
