//===- CmdProgramOps.td - Programs, regions and streams ----*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_CMDPROGRAMOPS_TD
#define AVOCET_COMPILER_DIALECT_CMDPROGRAMOPS_TD

include "avocet/compiler/Dialect/Cmd/CmdBase.td"

def Cmd_ProgramOp : Cmd_Op<"program", [IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments, Symbol,
                                       RegionKindInterface]> {
  let summary = "everything needed to run one network";
  let description = [{
    Holds cmd.region operations (region n of the commands is the n-th of them, counted from 1), at most one cmd.data,
    and at most one cmd.control. Each section of the control program (without one: the only section) has one cmd.stream
    for each engine that has work. `header` contains the model cache's figures of the whole network, `inputs` and
    `outputs` the operands in graph order, `layers` the network's operations, `plan` the buffers, `sources` the operators
    of the layers and `operations` those of the placed network, if there is a source map: dictionaries with the fields of cache/ModelDescription.h. `semaphores` is the number that the job
    needs; numbers in commands are below it. The verifier runs the streams of each section symbolically: every wait must
    be satisfiable.

    ```mlir
    cmd.program @main attributes {
        header = {modelName = "main", sramPeakBytes = 20 : i64, targetName = "e256"}, semaphores = 2 : i32,
        inputs = [{bytes = 8 : i64, shape = array<i32: 4, 2, 1>} ],
        outputs = [{bytes = 4 : i64, shape = array<i32: 2, 2, 1>} ],
        layers = [{name = "pool", operation = "MAX_POOL_2D"} ], plan = [{bytes = 8 : i64, name = "r0"} ], sources = []} {
      cmd.region input 0 bytes 8
      cmd.region output 0 bytes 4
      cmd.stream mac 0 {
        cmd.wait {semaphore = 1, value = 1} layer 0
        cmd.pool {
          input = {4x2x1xi8},
          output = {2x2x1xi8 at 16},
          window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127},
          block = {height = 2, width = 2}} layer 0
        cmd.signal layer 0
        cmd.end
      }
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 8}
        cmd.signal {semaphore = 1}
        cmd.wait {value = 1}
        cmd.dma {source = {offset = 16}, destination = {region = 2}, runBytes = 4}
        cmd.end
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DictionaryAttr:$header, I32Attr:$semaphores, ArrayAttr:$inputs,
                       ArrayAttr:$outputs, ArrayAttr:$layers, ArrayAttr:$plan, ArrayAttr:$sources, OptionalAttr<ArrayAttr>:$operations);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name custom<Tables>(attr-dict) $body";
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) { return ::mlir::RegionKind::SSACFG; }
  }];
  let hasRegionVerifier = 1;
}

def Cmd_Meaning : I32EnumAttr<"Meaning", "what a job binds to a region", [
    I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Output", 1, "output">,
    I32EnumAttrCase<"Constants", 2, "constants">, I32EnumAttrCase<"Scratch", 3, "scratch">]> {
  let description = [{
    The meaning of a region; the index counts inputs and outputs in graph order.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region scratch 0 bytes 64
      cmd.stream dma 0 {
        cmd.dma {destination = {region = 1}, runBytes = 64}
        cmd.end
      }
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::cmd";
}

def Cmd_RegionOp : Cmd_Op<"region", [HasParent<"ProgramOp">]> {
  let summary = "a range of the job's address space, by its meaning";
  let description = [{
    `index` is the number of the network input or output, 0 for the others.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region input 0 bytes 16
      cmd.region output 0 bytes 16
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 16}
        cmd.dma {destination = {region = 2}, runBytes = 16}
        cmd.end
      }
    }
    ```
  }];
  let arguments = (ins Cmd_Meaning:$meaning, I32Attr:$index, I64Attr:$bytes);
  let assemblyFormat = "$meaning $index `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Cmd_DataOp : Cmd_Op<"data", [HasParent<"ProgramOp">]> {
  let summary = "the contents of the constants region, as in the data cache";
  let description = [{
    The value is a tensor of bytes of rank 1. A program without constants has no such operation.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region constants 0 bytes 16
      cmd.data dense<7> : tensor<16xi8>
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 16}
        cmd.end
      }
    }
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

def Cmd_ControlOp : Cmd_Op<"control"> {
  let summary = "the order in which the sections of a network run: branches and loops";
  let description = [{
    A control program (firmware_iface/Control.h). Section n is the n-th function or npu.program of the module, later the
    streams with that section number. `words` is the program's encoding; the text lists instructions with their nonzero
    fields. Next to functions and npu.programs it describes the whole network: `inputs` and `outputs` are dictionaries
    with the attributes of the operands and their types (`npu.network_type`), in graph order.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region input 0 bytes 128
      cmd.control [jump_if_false {region = 1, offset = 64, target = 3}, run, jump {target = 4}, run {section = 1}, end]
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 32}
        cmd.end
      }
      cmd.stream dma 0 section 1 {
        cmd.dma {source = {region = 1, offset = 32}, runBytes = 32}
        cmd.end
      }
    }
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$words, OptionalAttr<ArrayAttr>:$inputs, OptionalAttr<ArrayAttr>:$outputs);
  let assemblyFormat = "custom<Instructions>($words) attr-dict";
  let extraClassDeclaration = [{
    ::std::vector<::avocet::firmware::ControlInstruction> instructions();
  }];
  let hasVerifier = 1;
}

def Cmd_EngineKind : I32EnumAttr<"StreamKind", "kind of engine", [
    I32EnumAttrCase<"Mac", 0, "mac">, I32EnumAttrCase<"Dsp", 1, "dsp">, I32EnumAttrCase<"Dma", 2, "dma">]> {
  let description = [{
    Selects the engine of a stream, together with its index among engines of this kind.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.stream dsp 0 {
        cmd.signal
        cmd.end
      }
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::cmd";
}

def Cmd_StreamOp : Cmd_Op<"stream", [HasParent<"ProgramOp">, SingleBlock, NoRegionArguments]> {
  let summary = "the commands of one engine in order";
  let description = [{
    `section` is the section of the control program to which the stream belongs.

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.region input 0 bytes 32
      cmd.stream dma 0 {
        cmd.dma {source = {region = 1}, runBytes = 16}
        cmd.signal
        cmd.end
      }
      cmd.stream dma 1 {
        cmd.wait {value = 1}
        cmd.dma {source = {region = 1, offset = 16}, destination = {offset = 16}, runBytes = 16}
        cmd.end
      }
    }
    ```
  }];
  let arguments = (ins Cmd_EngineKind:$kind, I32Attr:$index, DefaultValuedAttr<I32Attr, "0">:$section);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind $index (`section` $section^)? $body attr-dict";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::avocet::firmware::Engine engine() {
      return {static_cast<::avocet::firmware::EngineKind>(getKind()), getIndex()};
    }
  }];
}

#endif // AVOCET_COMPILER_DIALECT_CMDPROGRAMOPS_TD
