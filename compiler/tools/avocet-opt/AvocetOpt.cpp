//===- AvocetOpt.cpp - Runs passes on modules -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like mlir-opt, with the dialects and passes of this compiler:
//   avocet-opt --avocet-compile="target=e256 stop-after=place" model.mlir
//
//===----------------------------------------------------------------------===//

#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Support/TextLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <new>

using namespace mlir;

namespace {

/// Null if the file cannot be read or nests too deeply for the parser.
std::unique_ptr<llvm::MemoryBuffer> openChecked(const std::string &path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer) {
    llvm::errs() << message << "\n";
    return nullptr;
  }
  if (isBytecode(*buffer))
    return buffer;
  if (auto problem = avocet::compiler::checkTextLimits(buffer->getBuffer())) {
    llvm::errs() << path << ":" << problem->line << ":" << problem->column << ": error: " << problem->message << "\n";
    return nullptr;
  }
  return buffer;
}

/// Same as MlirOptMain(argc, argv, ...), with the nesting check between opening and parsing.
LogicalResult run(int argc, char **argv) {
  DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  avocet::compiler::registerPasses();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "Avocet's pass driver\n", registry);
  const MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // These print lists and read no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);
  std::unique_ptr<llvm::MemoryBuffer> buffer = openChecked(input);
  std::string message;
  auto file = buffer ? openOutputFile(output, &message) : nullptr;
  if (!message.empty())
    llvm::errs() << message << "\n";
  if (!file || failed(MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return failure();
  file->keep();
  return success();
}

} // namespace

static int runMain(int argc, char **argv) {
  avocet::compiler::prepareTool();
  llvm::InitLLVM init(argc, argv);
  std::set_new_handler(nullptr); // that of LLVM ends the program by abort()
  return asMainReturnCode(run(argc, argv));
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
