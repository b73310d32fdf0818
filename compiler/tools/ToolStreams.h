//===- ToolStreams.h - Streams and --version of the IR tools ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H
#define AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H

#include "Support/TextLimits.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/base/Version.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <memory>
#include <string>

namespace avocet::compiler {

/// Call first in main(). If an IR tool cannot write its output, it prints a message and exits with code 1. SIGPIPE is
/// blocked, because LLVM's handler for it ends the process without a message. --version prints `program` and the build
/// instead of LLVM's version.
inline void prepareTool(std::string_view program) {
  prepareStandardStreams();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  llvm::cl::SetVersionPrinter([program](llvm::raw_ostream &out) { out << versionLine(program) << "\n"; });
}

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

#endif // AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H
