//===- NpuInterfaces.td - Interfaces of scheduled operations -*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_INTERFACES
#define AVOCET_COMPILER_DIALECT_NPU_INTERFACES

include "mlir/IR/OpBase.td"

def Npu_CommandOpInterface : OpInterface<"CommandOpInterface"> {
  let cppNamespace = "::avocet::compiler::npu";
  let description = [{
    An operation of the scheduled level that becomes one command of the device. The command is stored as a template
    whose addresses are offsets into buffers: the n-th address (in the order of `visitAddresses`) belongs to the n-th
    buffer operand.

    Input, output and table are the three addresses of a look-up:

    ```mlir
    npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
      %x = npu.buffer sram 32
      %y = npu.buffer sram 32
      %t = npu.buffer sram 256
      npu.tile_lookup %x, %y, %t {
          input = {1x4x8xi8},
          output = {1x4x8xi8},
          block = {width = 4, channels = 8}}
    }
    ```
  }];
  let methods = [
    InterfaceMethod<"The engine whose stream contains the command.",
      "::avocet::firmware::Engine", "getEngine">,
    InterfaceMethod<"The command, with addresses relative to the buffer operands.",
      "::avocet::firmware::CommandBody", "getTemplate", (ins), [{}], [{
        return ::avocet::firmware::CommandBody($_op.getCommand());
      }]>,
    InterfaceMethod<"Index of the network's operation in the program's layer table, or kNoLayer.",
      "uint32_t", "getLayerIndex", (ins), [{}], [{
        return static_cast<uint32_t>($_op.getLayer());
      }]>,
    InterfaceMethod<"One buffer per address field.",
      "::mlir::OperandRange", "getAddressBuffers", (ins), [{}], [{
        return $_op.getBuffers();
      }]>,
    InterfaceMethod<"The command with final addresses; addressOf returns region and offset of a buffer.",
      "::avocet::firmware::CommandBody", "buildCommand",
      (ins "::llvm::function_ref<::avocet::compiler::npu::BufferAddress(::mlir::Value)>":$addressOf), [{}], [{
        return ::avocet::compiler::npu::relocate($_op.getCommand(), $_op.getBuffers(), addressOf);
      }]>,
  ];
}

#endif // AVOCET_COMPILER_DIALECT_NPU_INTERFACES
