//===- CommandBytecode.h - Commands in MLIR bytecode ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In bytecode, a command property is the words of the device's own encoding: a count, then one number per word. Reading
// uses the device's decoder, which rejects every malformed sequence.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_COMMANDBYTECODE_H
#define AVOCET_COMPILER_SUPPORT_COMMANDBYTECODE_H

#include "avocet/firmware_iface/Command.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace avocet::compiler {

void writeCommandBody(mlir::DialectBytecodeWriter &writer, const firmware::CommandBody &body);
llvm::LogicalResult readCommandBody(mlir::DialectBytecodeReader &reader, firmware::CommandBody &body);

template <typename T> void writeCommand(mlir::DialectBytecodeWriter &writer, const T &command) {
  writeCommandBody(writer, firmware::CommandBody(command));
}

template <typename T> llvm::LogicalResult readCommand(mlir::DialectBytecodeReader &reader, T &command) {
  firmware::CommandBody body;
  if (failed(readCommandBody(reader, body)))
    return llvm::failure();
  auto *wanted = std::get_if<T>(&body);
  if (!wanted)
    return reader.emitError("the bytecode holds another command than its operation's");
  command = std::move(*wanted);
  return llvm::success();
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_COMMANDBYTECODE_H
