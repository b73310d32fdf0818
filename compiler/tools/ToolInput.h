//===- ToolInput.h - Input files of the IR tools -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_TOOLINPUT_H
#define AVOCET_COMPILER_TOOLS_TOOLINPUT_H

#include "avocet/compiler/Support/TextLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace avocet::compiler {

/// For the help of programs that read bytecode in their own process.
inline constexpr llvm::StringLiteral kBytecodeHelp =
    "Bytecode must come from a trusted source: a damaged file can end this program. 'avocet compile' withstands it.\n";

/// Null, after a message, if the file cannot be read or nests too deeply for the parser.
inline std::unique_ptr<llvm::MemoryBuffer> openChecked(const std::string &path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(path, &message);
  if (!buffer) {
    llvm::errs() << message << "\n";
    return nullptr;
  }
  if (mlir::isBytecode(*buffer))
    return buffer;
  if (auto problem = checkTextLimits(buffer->getBuffer())) {
    llvm::errs() << path << ":" << problem->line << ":" << problem->column << ": error: " << problem->message << "\n";
    return nullptr;
  }
  return buffer;
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_TOOLINPUT_H
