//===- CmdCommandOps.td - The commands of a stream ---------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_CMDCOMMANDOPS_TD
#define AVOCET_COMPILER_DIALECT_CMDCOMMANDOPS_TD

include "avocet/compiler/Dialect/Cmd/CmdBase.td"

class Cmd_CommandProp<string struct> : Property<"::avocet::firmware::" # struct, "device command"> {
  let convertToAttribute = [{ return ::avocet::compiler::commandToAttribute($_ctxt, $_storage); }];
  let convertFromAttribute = [{ return ::avocet::compiler::commandFromAttribute($_attr, $_storage, $_diag); }];
  let hashProperty = [{ ::avocet::compiler::hashCommand($_storage) }];
  let writeToMlirBytecode = [{ ::avocet::compiler::writeCommand($_writer, $_storage); }];
  let readFromMlirBytecode = [{
    if (::mlir::failed(::avocet::compiler::readCommand($_reader, $_storage)))
      return ::mlir::failure();
  }];
  let interfaceType = "const ::avocet::firmware::" # struct # " &";
}

def Cmd_LayerProp : Property<"uint32_t", "layer number"> {
  let convertToAttribute = [{
    return ::mlir::IntegerAttr::get(::mlir::IntegerType::get($_ctxt, 64), static_cast<int64_t>($_storage));
  }];
  let convertFromAttribute = [{ return layerFromAttribute($_attr, $_storage, $_diag); }];
  let writeToMlirBytecode = [{ $_writer.writeVarInt($_storage); }];
  let readFromMlirBytecode = [{
    if (::mlir::failed(readLayer($_reader, $_storage)))
      return ::mlir::failure();
  }];
}

/// Text: the fields that differ from their defaults, then the layer: `cmd.wait {semaphore = 1, value = 3} layer 7`.
class Cmd_CommandOp<string mnemonic, string struct, string engine = "std::nullopt", list<Trait> traits = []>
    : Cmd_Op<mnemonic, [HasParent<"StreamOp">, DeclareOpInterfaceMethods<Cmd_StreamCommandInterface>] # traits> {
  let arguments = (ins Cmd_CommandProp<struct>:$command,
                       DefaultValuedProp<Cmd_LayerProp, "::avocet::firmware::kNoLayer">:$layer);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    using CommandType = ::avocet::firmware::}] # struct # [{;
    static constexpr ::std::optional<::avocet::firmware::EngineKind> kEngineKind = }] # engine # [{;
  }];
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      return parseCommandOp<$cppClass>(parser, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { printCommandOp(*this, printer); }
  }];
}

class Cmd_MacOp<string mnemonic, string struct>
    : Cmd_CommandOp<mnemonic, struct, "::avocet::firmware::EngineKind::Mac">;

def Cmd_EndOp : Cmd_CommandOp<"end", "EndCommand", "std::nullopt", [Terminator]> {
  let summary = "ends the stream";
  let description = [{
    The last operation of each stream. The section is complete once all its streams have reached their ends.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.end
      }
    }
    ```
  }];
  let builders = [OpBuilder<(ins), [{ $_state.getOrAddProperties<Properties>(); }]>];
}
def Cmd_WaitOp : Cmd_CommandOp<"wait", "WaitCommand"> {
  let summary = "blocks the stream until a semaphore has reached a value";
  let description = [{
    Later commands of the stream start once the count of the semaphore is at least the value. Counts start at 0 with
    each job.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.wait {value = 1}
        cmd.end
      }
      cmd.stream dma 0 {
        cmd.signal
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_SignalOp : Cmd_CommandOp<"signal", "SignalCommand"> {
  let summary = "increments a semaphore once all earlier commands of the stream have finished";
  let description = [{
    Orders streams: commands after a `cmd.wait` for this value start after the commands before the signal.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 2 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region input 0 bytes 16
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 16}
        cmd.signal {semaphore = 1}
        cmd.end
      }
      cmd.stream mac 0 {
        cmd.wait {semaphore = 1, value = 1}
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_YieldOp : Cmd_CommandOp<"yield", "YieldCommand"> {
  let summary = "a point at which the job may be preempted";
  let description = [{
    The engine may stop here if the job is to be suspended. The device then keeps the live byte ranges that the yields
    of this number list.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region scratch 0 bytes 16
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 16}
        cmd.yield {live = [{bytes = 16} ]}
        cmd.dma {destination = {region = 1}, runBytes = 16}
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_DmaOp : Cmd_CommandOp<"dma", "DmaCommand", "::avocet::firmware::EngineKind::Dma"> {
  let summary = "strided copy between SRAM and regions, or fill";
  let description = [{
    Copies runs of contiguous bytes, repeated along three nested counts with a stride each. A fill has a value instead
    of a source. Each DMA channel has its own stream.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region input 0 bytes 256
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1, stride0 = 64}, runBytes = 32, count0 = 4}
        cmd.dma {kind = fill, destination = {offset = 128, stride0 = 32}, runBytes = 4, count0 = 4, fillValue = 255}
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_ConvOp : Cmd_MacOp<"conv", "ConvCommand"> {
  let summary = "convolution, depthwise convolution, fully connected";
  let description = [{
    Runs on the MAC array. `records` addresses the bias and scaling of each output channel. A fully connected layer
    is a convolution of one pixel. `firmware_iface/Command.h` describes each field of the command.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [{name = "a", operation = "CONV_2D"} ], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.conv {
            input = {4x4x8xi8, zeroPoint = 3},
            output = {4x4x16xi8 at 128},
            weights = 384, weightBytes = 128, channelRecords = 512, clamp = {min = -128, max = 127},
            block = {height = 4, width = 4, channels = 16}} layer 0
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_PoolOp : Cmd_MacOp<"pool", "PoolCommand"> {
  let summary = "max or average pool";
  let description = [{
    Runs on the MAC array: the maximum or the average over a window, clamped.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [{name = "a", operation = "AVERAGE_POOL_2D"} ], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.pool {
            kind = average,
            input = {4x4x8xi8},
            output = {2x2x8xi8 at 128},
            window = {kernelHeight = 2, kernelWidth = 2, strideHeight = 2, strideWidth = 2},
            clamp = {min = -128, max = 127}, block = {height = 2, width = 2, channels = 8}} layer 0
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_EltwiseOp : Cmd_MacOp<"eltwise", "EltwiseCommand"> {
  let summary = "element-wise operation of two inputs";
  let description = [{
    Runs on the MAC array: each input may be broadcast, and 8-bit values are rescaled.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [{name = "a", operation = "MUL"} ], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.eltwise {
            kind = mul,
            inputA = {1x4x8xi8},
            inputB = {1x4x8xi8 at 32},
            output = {1x4x8xi8 at 64},
            rescaleOutput = {multiplier = 1073741824, shift = -3}, clamp = {min = -128, max = 127},
            block = {width = 4, channels = 8}} layer 0
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_LookupOp : Cmd_MacOp<"lookup", "LookupCommand"> {
  let summary = "table look-up, byte by byte";
  let description = [{
    Runs on the MAC array: each input byte is the index of its output byte in a table of 256 entries.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [{name = "a", operation = "TANH"} ], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.lookup {
            input = {1x4x8xi8},
            output = {1x4x8xi8 at 32},
            table = 64, block = {width = 4, channels = 8}} layer 0
        cmd.end
      }
    }
    ```
  }];
}
def Cmd_DspOp : Cmd_CommandOp<"dsp", "DspCommand", "::avocet::firmware::EngineKind::Dsp"> {
  let summary = "a kernel of the vector DSP";
  let description = [{
    `kernel` is the number of a kernel in the registry of `kernels/`; operands and parameters follow the contract of
    that kernel.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [{name = "a", operation = "SOFTMAX"} ], plan = [], sources = []} {
      cmd.stream dsp 0 {
        cmd.dsp {
            kernel = 1,
            inputs = [{1x1x4xf32} ],
            outputs = [{1x1x4xf32 at 16} ],
            parameters = [0, 0, 0, 1065353216]} layer 0
        cmd.end
      }
    }
    ```
  }];
}

#endif // AVOCET_COMPILER_DIALECT_CMDCOMMANDOPS_TD
