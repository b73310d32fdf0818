//===- AvocetReduce.cpp - Reduces modules -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like mlir-reduce, with the dialects of this compiler, reduction patterns of the nn dialect, and a pass that cuts
// functions and programs:
//   avocet-reduce model.mlir -o small.mlir --avocet-reduce-module=test=check.sh
// The tester gets the path of a candidate and ends with 1 if it is interesting, with 0 if not. `avocet reduce` calls
// this program with a tester that follows the usual convention, and accepts a command line instead.
//
//===----------------------------------------------------------------------===//

#include "ModuleReduction.h"
#include "ReductionPatterns.h"
#include "ToolInput.h"
#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <new>

using namespace mlir;

namespace {

struct Options {
  llvm::cl::opt<std::string> input{llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("<module>")};
  llvm::cl::opt<std::string> output{"o", llvm::cl::desc("File for the reduced module"), llvm::cl::init("-")};
  PassPipelineCLParser passes{"", "Reduction passes, in the order in which they run"};
};

OwningOpRef<ModuleOp> parse(const std::string &path, MLIRContext &context) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = avocet::compiler::openChecked(path);
  if (!buffer)
    return {};
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

LogicalResult reduce(const Options &options, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = parse(options.input, context);
  if (!module)
    return failure();
  PassManager manager(&context, ModuleOp::getOperationName());
  const auto report = [&](const Twine &message) { return emitError(UnknownLoc::get(&context), message); };
  if (failed(options.passes.addToPipeline(manager, report)) || failed(manager.run(*module)))
    return failure();
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(options.output, &message);
  if (!file) {
    llvm::errs() << message << "\n";
    return failure();
  }
  module->print(file->os());
  file->keep();
  return success();
}

} // namespace

static int runMain(int argc, char **argv) {
  avocet::compiler::prepareTool("avocet-reduce");
  llvm::InitLLVM init(argc, argv);
  std::set_new_handler(nullptr); // that of LLVM ends the program by abort()
  registerAsmPrinterCLOptions(); // --mlir-print-debuginfo keeps the names of layers
  avocet::compiler::registerModuleReduction();
  Options options;
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Avocet's reducer of modules\n" + avocet::compiler::kBytecodeHelp.str());
  DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  avocet::compiler::registerReductionPatterns(registry);
  // One thread: a tester may be any program, and MLIR's reducer starts it from the thread of the pass.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr noSources;
  SourceMgrDiagnosticHandler handler(noSources, &context);
  return failed(reduce(options, context)) ? avocet::kExitFailed : avocet::kExitOk;
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
