//===- NpuBase.td - The device level of the compiler -------*- tablegen -*-===//
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
//            batch is folded into the rows. No quantized types.
// scheduled: an npu.program: a list of transfers and tile operations on buffers. Running the list from top to bottom,
//            one operation after the other, computes the network. After allocation each buffer has an address.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPUBASE_TD
#define AVOCET_COMPILER_DIALECT_NPUBASE_TD

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
  let description = [{
    The device level, in two steps. Placed: tensor operations with an engine, in functions (`npu.conv`, `npu.dsp`).
    Scheduled: `npu.program`, a list of transfers and tile operations on buffers that is correct when run from top
    to bottom (`npu.dma`, `npu.tile_conv`). No operation of the first step remains in the second.
    `npu-verify-placed`, `npu-verify-scheduled` and `npu-verify-allocated` check the contract of each step.

    Placed:

    ```mlir
    func.func @main(%x: tensor<4x2x1xi8>) -> tensor<2x2x1xi8>
        attributes {npu.layers = [{name = "pool", op = "MAX_POOL_2D"} ]} {
      %y = npu.pool %x {window = {kernelHeight = 2, strideHeight = 2}, clamp = {min = -128, max = 127}} layer 0
          : tensor<4x2x1xi8> -> tensor<2x2x1xi8>
      return %y : tensor<2x2x1xi8>
    }
    ```

    Scheduled:

    ```mlir
    npu.program @main attributes {
        target = "e256", inputs = [{type = tensor<8x1x1xi8>} ], outputs = [{type = tensor<8x1x1xi8>} ], layers = []} {
      %in = npu.buffer input 8
      %tile = npu.buffer sram 8
      %out = npu.buffer output 8
      npu.dma %in, %tile {runBytes = 8}
      npu.dma %tile, %out {runBytes = 8}
    }
    ```
  }];
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
  let description = [{
    The result of `npu.buffer`. Commands of the scheduled level address bytes relative to it.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %tile = npu.buffer sram 32
      npu.dma %tile {kind = fill, runBytes = 32}
    }
    ```
  }];
}

def Npu_SpaceSram : I32EnumAttrCase<"Sram", 0, "sram">;
def Npu_SpaceInput : I32EnumAttrCase<"Input", 1, "input">;
def Npu_SpaceOutput : I32EnumAttrCase<"Output", 2, "output">;
def Npu_SpaceConstants : I32EnumAttrCase<"Constants", 3, "constants">;
def Npu_SpaceScratch : I32EnumAttrCase<"Scratch", 4, "scratch">;
def Npu_Space : I32EnumAttr<"Space", "where a buffer lives",
    [Npu_SpaceSram, Npu_SpaceInput, Npu_SpaceOutput, Npu_SpaceConstants, Npu_SpaceScratch]> {
  let description = [{
    SRAM is on-chip memory. The other spaces are regions that the runtime binds to a job.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %from = npu.buffer scratch 32
      %to = npu.buffer sram 32
      npu.dma %from, %to {runBytes = 32}
    }
    ```
  }];
  let cppNamespace = "::avocet::compiler::npu";
}

def Npu_Segment : AttrDef<Npu_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "bytes of a constant inside a constants buffer";
  let description = [{
    `size` bytes of `data` from byte `source` on, stored at byte `offset` of the buffer. `npu.buffer` has a short form of
    a list of segments.

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %weights = npu.buffer constants 32 {contents = [
          #npu.segment<data = dense<1> : tensor<16xi8>, source = 0, size = 16, offset = 0>,
          #npu.segment<data = dense<2> : tensor<48xi8>, source = 8, size = 16, offset = 16>]}
      %tile = npu.buffer sram 32
      npu.dma %weights, %tile {runBytes = 32}
    }
    ```
  }];
  let parameters = (ins "::mlir::ElementsAttr":$data, "uint64_t":$source, "uint64_t":$size, "uint64_t":$offset);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// A device command stored as its C++ struct. In bytecode and in the generic text it is a dictionary, generated by
/// reflection, of the fields that differ from their defaults; Support/FieldText.h describes the usual text.
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

class Npu_Op<string mnemonic, list<Trait> traits = []> : Op<Npu_Dialect, mnemonic, traits>;

#endif // AVOCET_COMPILER_DIALECT_NPUBASE_TD
