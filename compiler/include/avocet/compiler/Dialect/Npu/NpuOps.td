//===- NpuOps.td - The device level of the compiler -----------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The npu dialect has two levels, each a contract with its own border verification:
//
// placed:    a func.func of tensor operations. Each operation has an engine, its arithmetic is a device command without
//            addresses, block and shapes. Tensors are storage tensors of rank 3, [rows, width, channels], dense; the
//            batch is folded into the rows. No quantised types.
// scheduled: an npu.program: a list of transfers and tile operations on buffers. Running the list from top to bottom,
//            one operation after the other, computes the network. After allocation each buffer has an address.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_OPS
#define AVOCET_COMPILER_DIALECT_NPU_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/Properties.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "avocet/compiler/Dialect/Npu/NpuInterfaces.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::avocet::compiler::npu";
  let summary = "Operations on the engines of the device, first on tensors, then on buffers";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Attribute of a placed function: array of {name, op} dictionaries, indexed by the operations' `layer`.
    static constexpr ::llvm::StringLiteral kLayersAttr = "npu.layers";
  }];
}

//===----------------------------------------------------------------------===//
// Types, attributes, properties
//===----------------------------------------------------------------------===//

class Npu_Type<string name, string typeMnemonic> : TypeDef<Npu_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Npu_Buffer : Npu_Type<"Buffer", "buffer"> {
  let summary = "a byte range in on-chip memory or in a region of the job";
}

def Npu_SpaceSram : I32EnumAttrCase<"Sram", 0, "sram">;
def Npu_SpaceInput : I32EnumAttrCase<"Input", 1, "input">;
def Npu_SpaceOutput : I32EnumAttrCase<"Output", 2, "output">;
def Npu_SpaceConstants : I32EnumAttrCase<"Constants", 3, "constants">;
def Npu_SpaceScratch : I32EnumAttrCase<"Scratch", 4, "scratch">;
def Npu_Space : I32EnumAttr<"Space", "where a buffer lives",
    [Npu_SpaceSram, Npu_SpaceInput, Npu_SpaceOutput, Npu_SpaceConstants, Npu_SpaceScratch]> {
  let cppNamespace = "::avocet::compiler::npu";
}

def Npu_Segment : AttrDef<Npu_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "bytes of a constant inside a constants buffer";
  let description = [{`size` bytes of `data`, from byte `source` on, stand at byte `offset` of the buffer.}];
  let parameters = (ins "::mlir::ElementsAttr":$data, "uint64_t":$source, "uint64_t":$size, "uint64_t":$offset);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// A command of the device kept as its C++ struct; in text and bytecode a dictionary of the fields that differ from the
/// default, made by reflection.
class Npu_CommandProp<string command> : Property<"::avocet::firmware::" # command, "device command"> {
  let convertToAttribute = [{ return ::avocet::compiler::commandToAttribute($_ctxt, $_storage); }];
  let convertFromAttribute = [{
    return ::avocet::compiler::commandFromAttribute($_attr, $_storage, $_diag);
  }];
  let hashProperty = [{ ::avocet::compiler::hashCommand($_storage) }];
  let writeToMlirBytecode = [{
    $_writer.writeAttribute(::avocet::compiler::commandToAttribute($_ctxt, $_storage));
  }];
  let readFromMlirBytecode = [{
    ::mlir::Attribute attribute;
    if (::mlir::failed($_reader.readAttribute(attribute)) ||
        ::mlir::failed(::avocet::compiler::commandFromAttribute(attribute, $_storage,
            [&]() { return $_reader.emitError(); })))
      return ::mlir::failure();
  }];
  let interfaceType = "const ::avocet::firmware::" # command # " &";
}

//===----------------------------------------------------------------------===//
// Placed level
//===----------------------------------------------------------------------===//

def Npu_StorageElement : AnyTypeOf<[I1, I8, UI8, I16, UI<16>, I32, I64, F16, F32]>;
def Npu_Map : ConfinedType<StaticShapeTensorOf<[Npu_StorageElement]>, [HasAnyRankOfPred<[3]>],
                           "storage tensor [rows, width, channels]">;
def Npu_Bytes : ConfinedType<StaticShapeTensorOf<[I8, UI8]>, [HasAnyRankOfPred<[1]>], "packed bytes">;
def Npu_Data : AnyTypeOf<[Npu_Map, Npu_Bytes]>;

class Npu_Op<string mnemonic, list<Trait> traits = []> : Op<Npu_Dialect, mnemonic, traits>;

/// Shapes, types, addresses, ring and block of the command stay at their defaults: they follow from the operands. Zero
/// points, clamps, scales and windows are set. `layer` indexes the function's npu.layers.
class Npu_PlacedOp<string mnemonic, list<Trait> traits = []> : Npu_Op<mnemonic, traits # [Pure]> {
  let hasVerifier = 1;
}

def Npu_ConstantOp : Npu_Op<"constant", [Pure]> {
  let summary = "constant bytes: packed weights, channel records, tables, constant tensors";
  let description = [{`value` has the shape and element type of the result and is usually a resource blob.}];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Npu_Data:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_ViewOp : Npu_PlacedOp<"view"> {
  let summary = "the same bytes in another shape; moves nothing";
  let arguments = (ins Npu_Map:$input);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Npu_ConvOp : Npu_PlacedOp<"conv", [AttrSizedOperandSegments]> {
  let summary = "convolution, depthwise convolution or fully connected on the MAC array";
  let description = [{
    `weights` are the packed bytes of all output channels (firmware_iface/WeightLayout.h), `records` 12 bytes for each
    output channel, `dynamicScale` one DynamicRecord (8 bytes) when the scaling is Dynamic, `table` 256 bytes.
    command.window has padTop and padLeft; padBottom and padRight complete the padding.
  }];
  let arguments = (ins Npu_Map:$input, Npu_Bytes:$weights, Npu_Bytes:$records, Optional<Npu_Map>:$dynamicScale,
                       Optional<Npu_Bytes>:$table, Npu_CommandProp<"ConvCommand">:$command,
                       DefaultValuedAttr<I32Attr, "0">:$padBottom, DefaultValuedAttr<I32Attr, "0">:$padRight,
                       I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = [{
    $input `,` $weights `,` $records (`dynamic` $dynamicScale^)? (`table` $table^)? prop-dict attr-dict `:`
    type($input) `,` type($weights) `,` type($records) (`dynamic` type($dynamicScale)^)? (`table` type($table)^)?
    `->` type($result)
  }];
}

def Npu_PoolOp : Npu_PlacedOp<"pool"> {
  let summary = "max or average pool on the MAC array";
  let arguments = (ins Npu_Map:$input, Npu_CommandProp<"PoolCommand">:$command,
                       DefaultValuedAttr<I32Attr, "0">:$padBottom, DefaultValuedAttr<I32Attr, "0">:$padRight,
                       I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = "$input prop-dict attr-dict `:` type($input) `->` type($result)";
}

def Npu_EltwiseOp : Npu_PlacedOp<"eltwise"> {
  let summary = "element-wise operation of two tensors on the MAC array";
  let description = [{An operand broadcasts along each axis on which its extent is 1.}];
  let arguments = (ins Npu_Map:$inputA, Npu_Map:$inputB, Npu_CommandProp<"EltwiseCommand">:$command, I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = "$inputA `,` $inputB prop-dict attr-dict `:` type($inputA) `,` type($inputB) `->` type($result)";
}

def Npu_LookupOp : Npu_PlacedOp<"lookup"> {
  let summary = "table look-up of 8-bit elements on the MAC array";
  let arguments = (ins Npu_Map:$input, Npu_Bytes:$table, Npu_CommandProp<"LookupCommand">:$command, I32Attr:$layer);
  let results = (outs Npu_Map:$result);
  let assemblyFormat = "$input `,` $table prop-dict attr-dict `:` type($input) `,` type($table) `->` type($result)";
}

def Npu_DspOp : Npu_PlacedOp<"dsp"> {
  let summary = "a kernel of the vector DSP over whole tensors";
  let description = [{
    `kernel` is the kernel's name in the registry, `parameters` are its words, `inputZeroPoints` and `outputZeroPoints`
    one number for each operand and result. Operands of rank 1 are tables; they reach the kernel as 1 x 1 x n maps.
    `resultFills`, if not empty, has for each result the byte with which it is filled before the kernel runs (results that
    the kernel updates), or -1.
    `rowWise`: output row y depends on row y of every operand alone (or, for operands of one row, on that row), so the
    operation may run in stripes of rows.
  }];
  let arguments = (ins Variadic<Npu_Data>:$inputs, StrAttr:$kernel,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$parameters,
                       DenseI32ArrayAttr:$inputZeroPoints, DenseI32ArrayAttr:$outputZeroPoints,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$resultFills, UnitAttr:$rowWise, I32Attr:$layer);
  let results = (outs Variadic<Npu_Map>:$results);
  let assemblyFormat = "$kernel `(` $inputs `)` prop-dict attr-dict `:` functional-type($inputs, $results)";
}

//===----------------------------------------------------------------------===//
// Scheduled level
//===----------------------------------------------------------------------===//

def Npu_ProgramOp : Npu_Op<"program", [IsolatedFromAbove, SingleBlock, NoTerminator, NoRegionArguments, Symbol,
                                       RegionKindInterface]> {
  let summary = "one network as a list of transfers and tile operations";
  let description = [{
    `inputs` and `outputs` describe the network's operands in graph order: a dictionary each, with `type` (the storage
    tensor) and whatever the function's argument or result carried (name, quantisation). `layers` describes the layer
    table: a dictionary each, with name, op, engine and the roofline terms. All names are in Support/ProgramAttrs.h. The
    sizes are there after allocation.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, ArrayAttr:$inputs, ArrayAttr:$outputs,
                       ArrayAttr:$layers, OptionalAttr<I64Attr>:$sramBytes, OptionalAttr<I64Attr>:$scratchBytes,
                       OptionalAttr<I64Attr>:$constantsBytes);
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
    `index` is the number of the network input or output, 0 for the other spaces. `address` is the byte offset in SRAM or
    in the region; `proposal` the one that the scheduler reckoned with, which allocation takes if all of them together are
    right. `contents` of a constants buffer lists the segments it is made of; bytes that no segment covers are 0.
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
  let description = "Buffers: source (not for fills), destination. `channel` is the stream that takes it.";
  let arguments = (ins Variadic<Npu_Buffer>:$buffers, Npu_CommandProp<"DmaCommand">:$command, I32Attr:$layer,
                       DefaultValuedAttr<I32Attr, "0">:$channel);
}

def Npu_TileConvOp : Npu_ScheduledOp<"tile_conv", "ConvCommand", "Mac"> {
  let summary = "convolution of one tile";
  let description = "Buffers: input, output, weights, records, dynamic scale if present, table if present.";
}
def Npu_TilePoolOp : Npu_ScheduledOp<"tile_pool", "PoolCommand", "Mac"> {
  let summary = "pool of one tile";
  let description = "Buffers: input, output.";
}
def Npu_TileEltwiseOp : Npu_ScheduledOp<"tile_eltwise", "EltwiseCommand", "Mac"> {
  let summary = "element-wise operation of one tile";
  let description = "Buffers: the two inputs, output.";
}
def Npu_TileLookupOp : Npu_ScheduledOp<"tile_lookup", "LookupCommand", "Mac"> {
  let summary = "table look-up of one tile";
  let description = "Buffers: input, output, table.";
}
def Npu_TileDspOp : Npu_ScheduledOp<"tile_dsp", "DspCommand", "Dsp"> {
  let summary = "DSP kernel over one tile";
  let description = "Buffers: inputs, outputs.";
}

#endif // AVOCET_COMPILER_DIALECT_NPU_OPS
