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

#include "OptHelp.h"
#include "ToolInput.h"
#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

#include <new>
#include <string>

using namespace mlir;

namespace {

/// Same as MlirOptMain(argc, argv, ...), with the nesting check between opening and parsing.
LogicalResult run(int argc, char **argv) {
  DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  avocet::compiler::registerPasses();
  const std::string overview = registerCLIOptions(
      "Runs passes of the Avocet compiler on modules\n" + avocet::compiler::kBytecodeHelp.str(), registry);
  if (avocet::compiler::wantsHelp(argc, argv)) {
    parseCLIOptions(1, argv, overview); // registers the last options
    avocet::compiler::printHelp();
    return success();
  }
  auto [input, output] = parseCLIOptions(argc, argv, overview);
  const MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // These print lists and read no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);
  std::unique_ptr<llvm::MemoryBuffer> buffer = avocet::compiler::openChecked(input);
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
  avocet::compiler::prepareTool("avocet-opt");
  llvm::InitLLVM init(argc, argv);
  std::set_new_handler(nullptr); // that of LLVM ends the program by abort()
  return asMainReturnCode(run(argc, argv));
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
