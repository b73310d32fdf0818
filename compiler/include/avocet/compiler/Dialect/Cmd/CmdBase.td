//===- CmdBase.td - The command level of the compiler ------*- tablegen -*-===//
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

#ifndef AVOCET_COMPILER_DIALECT_CMDBASE_TD
#define AVOCET_COMPILER_DIALECT_CMDBASE_TD

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
  let summary = "Command streams of the engines, synchronized by semaphores";
  let description = [{
    The lowest level: what the device executes, one operation per command. `cmd.program` corresponds exactly to a
    model cache; both directions of the conversion are lossless. Each engine has one `cmd.stream` per section.
    Addresses are final: an offset in SRAM, or a region of the job and an offset in it.

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
}

class Cmd_Op<string mnemonic, list<Trait> traits = []> : Op<Cmd_Dialect, mnemonic, traits>;

#endif // AVOCET_COMPILER_DIALECT_CMDBASE_TD
