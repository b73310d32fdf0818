//===- CmdInterfaces.td - Interfaces of the cmd dialect -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_CMD_INTERFACES
#define AVOCET_COMPILER_DIALECT_CMD_INTERFACES

include "mlir/IR/OpBase.td"

def Cmd_StreamCommandInterface : OpInterface<"StreamCommandInterface"> {
  let cppNamespace = "::avocet::compiler::cmd";
  let description = [{
    An operation that is one command of a stream. It gives the command as the struct that the model cache stores.

    A stream of three such operations:

    ```mlir
    cmd.program @main attributes {
        header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
      cmd.stream mac 0 {
        cmd.lookup {table = 256}
        cmd.signal
        cmd.end
      }
    }
    ```
  }];
  let methods = [
    InterfaceMethod<"The command, with its layer.", "::avocet::firmware::Command", "toCommand", (ins), [{}], [{
      return ::avocet::firmware::Command{$_op.getLayer(), ::avocet::firmware::CommandBody($_op.getCommand())};
    }]>,
    StaticInterfaceMethod<"The kind of engine that runs the command; none: every kind.",
      "::std::optional<::avocet::firmware::EngineKind>", "engineKind", (ins), [{}], [{
        return ConcreteOp::kEngineKind;
      }]>,
  ];
}

#endif // AVOCET_COMPILER_DIALECT_CMD_INTERFACES
