//===- CmdOps.td - The command level of the compiler ----------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last level: the commands that the device runs, one operation for each. It is made from an allocated npu.program
// and converted to the two artefacts and back (the model cache lacks only source locations and the constants' bytes). A
// module of this level holds exactly one cmd.program. Only cmd.control appears earlier: in a network with branches or
// loops it is next to the sections from the end of the phase nn on, and moves into the program at the end.
//
// The commands' fields are those of firmware_iface/Command.h. Text, bytecode, builders and readers are generated from
// visitFields; no operation here repeats a field.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_CMD_OPS
#define AVOCET_COMPILER_DIALECT_CMD_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "avocet/compiler/Dialect/Cmd/CmdInterfaces.td"

def Cmd_Dialect : Dialect {
  let name = "cmd";
  let cppNamespace = "::avocet::compiler::cmd";
  let summary = "Command streams of the engines, synchronised by semaphores";
  let description = [{
    The lowest level: what the device executes, one operation per command. `cmd.program` corresponds exactly to a
    model cache; both directions of the conversion are lossless. Each engine has one `cmd.stream` per section.
    Addresses are final: an offset in SRAM, or a region of the job and an offset in it.
  }];
}

class Cmd_Op<string mnemonic, list<Trait> traits = []> : Op<Cmd_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Program, regions, constants, streams
//===----------------------------------------------------------------------===//

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
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DictionaryAttr:$header, I32Attr:$semaphores, ArrayAttr:$inputs,
                       ArrayAttr:$outputs, ArrayAttr:$layers, ArrayAttr:$plan, ArrayAttr:$sources, OptionalAttr<ArrayAttr>:$operations);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) { return ::mlir::RegionKind::SSACFG; }
  }];
  let hasRegionVerifier = 1;
}

def Cmd_Meaning : I32EnumAttr<"Meaning", "what a job binds to a region", [
    I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Output", 1, "output">,
    I32EnumAttrCase<"Constants", 2, "constants">, I32EnumAttrCase<"Scratch", 3, "scratch">]> {
  let description = "The meaning of a region; the index counts inputs and outputs in graph order.";
  let cppNamespace = "::avocet::compiler::cmd";
}

def Cmd_RegionOp : Cmd_Op<"region", [HasParent<"ProgramOp">]> {
  let summary = "a range of the job's address space, by its meaning";
  let description = "`index` is the number of the network input or output, 0 for the others.";
  let arguments = (ins Cmd_Meaning:$meaning, I32Attr:$index, I64Attr:$bytes);
  let assemblyFormat = "$meaning $index `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Cmd_DataOp : Cmd_Op<"data", [HasParent<"ProgramOp">]> {
  let summary = "the contents of the constants region, as in the data cache";
  let description = [{
    The value is a tensor of bytes of rank 1. A program without constants has no such operation.
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
    cmd.control [jump_if_false {region = 1, target = 3}, run, jump {target = 4}, run {section = 1}, end]
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
  let description = "Selects the engine of a stream, together with its index among engines of this kind.";
  let cppNamespace = "::avocet::compiler::cmd";
}

def Cmd_StreamOp : Cmd_Op<"stream", [HasParent<"ProgramOp">, SingleBlock, NoRegionArguments]> {
  let summary = "the commands of one engine in order";
  let description = "`section` is the section of the control program to which the stream belongs.";
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

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

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
  }];
  let builders = [OpBuilder<(ins), [{ $_state.getOrAddProperties<Properties>(); }]>];
}
def Cmd_WaitOp : Cmd_CommandOp<"wait", "WaitCommand"> {
  let summary = "blocks the stream until a semaphore has reached a value";
  let description = [{
    Later commands of the stream start once the count of the semaphore is at least the value. Counts start at 0 with
    each job.
  }];
}
def Cmd_SignalOp : Cmd_CommandOp<"signal", "SignalCommand"> {
  let summary = "increments a semaphore once all earlier commands of the stream have finished";
  let description = [{
    Orders streams: commands after a `cmd.wait` for this value start after the commands before the signal.
  }];
}
def Cmd_YieldOp : Cmd_CommandOp<"yield", "YieldCommand"> {
  let summary = "a point at which the job may be preempted";
  let description = [{
    The engine may stop here if the job is to be suspended. The device then keeps the live byte ranges that the yields
    of this number list.
  }];
}
def Cmd_DmaOp : Cmd_CommandOp<"dma", "DmaCommand", "::avocet::firmware::EngineKind::Dma"> {
  let summary = "strided copy between SRAM and regions, or fill";
  let description = [{
    Copies runs of contiguous bytes, repeated along three nested counts with a stride each. A fill has a value instead
    of a source. Each DMA channel has its own stream.
  }];
}
def Cmd_ConvOp : Cmd_MacOp<"conv", "ConvCommand"> {
  let summary = "convolution, depthwise convolution, fully connected";
  let description = [{
    Runs on the MAC array. `records` addresses the bias and scaling of each output channel. A fully connected layer
    is a convolution of one pixel. `firmware_iface/Command.h` describes each field of the command.
  }];
}
def Cmd_PoolOp : Cmd_MacOp<"pool", "PoolCommand"> {
  let summary = "max or average pool";
  let description = "Runs on the MAC array: the maximum or the average over a window, clamped.";
}
def Cmd_EltwiseOp : Cmd_MacOp<"eltwise", "EltwiseCommand"> {
  let summary = "element-wise operation of two inputs";
  let description = "Runs on the MAC array: each input may be broadcast, and 8-bit values are rescaled.";
}
def Cmd_LookupOp : Cmd_MacOp<"lookup", "LookupCommand"> {
  let summary = "table look-up, byte by byte";
  let description = "Runs on the MAC array: each input byte is the index of its output byte in a table of 256 entries.";
}
def Cmd_DspOp : Cmd_CommandOp<"dsp", "DspCommand", "::avocet::firmware::EngineKind::Dsp"> {
  let summary = "a kernel of the vector DSP";
  let description = [{
    `kernel` is the number of a kernel in the registry of `kernels/`; operands and parameters follow the contract of
    that kernel.
  }];
}

#endif // AVOCET_COMPILER_DIALECT_CMD_OPS
