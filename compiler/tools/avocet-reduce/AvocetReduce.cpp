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

#include "FunctionEdits.h"
#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <algorithm>
#include <new>

using namespace mlir;

namespace avocet::compiler {
namespace {

bool isReducible(Operation *op) {
  return isa_and_present<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op) && op->getNumResults() == 1 &&
         op->getNumRegions() == 0;
}

struct BecomeOperand : RewritePattern {
  explicit BecomeOperand(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    const Value operand = isReducible(op) ? standIn(op) : Value();
    if (!operand)
      return failure();
    rewriter.replaceOp(op, operand);
    return success();
  }
};

struct BecomeZero : RewritePattern {
  explicit BecomeZero(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto type = isReducible(op) ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    if (!type)
      return failure();
    Type element = type.getElementType();
    if (auto quantized = dyn_cast<quant::QuantizedType>(element))
      element = quantized.getStorageType();
    const ElementsAttr zeros = zerosOf(RankedTensorType::get(type.getShape(), element));
    if (!zeros)
      return failure();
    rewriter.replaceOpWithNewOp<nn::ConstantOp>(op, type, zeros);
    return success();
  }
};

struct NnReductionPatterns : DialectReductionPatternInterface {
  explicit NnReductionPatterns(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<BecomeOperand, BecomeZero>(patterns.getContext());
  }
};

/// Gives the nn dialect patterns for the pass --avocet-reduce-module: an operation becomes one of its operands if the
/// types agree, otherwise a constant of zeros.
void registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext * /*context*/, nn::NnDialect *dialect) { dialect->addInterfaces<NnReductionPatterns>(); });
}

/// The patterns of all dialects that the module uses.
FrozenRewritePatternSet reductionPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  const DialectInterfaceCollection<DialectReductionPatternInterface> dialects(context);
  for (const DialectReductionPatternInterface &dialect : dialects)
    dialect.populateReductionPatterns(patterns);
  return FrozenRewritePatternSet(std::move(patterns));
}

/// Delta debugging on the operations of a module, with the tester of MLIR's reducer.
class ModuleReducer {
public:
  ModuleReducer(ModuleOp module, const Tester &tester)
      : module_(module), tester_(tester), patterns_(reductionPatterns(module.getContext())) {}

  LogicalResult run() {
    if (!isInteresting(module_))
      return module_.emitError("the tester must end with 1 for the module itself; it ended with 0");
    do {
      isChanged_ = false;
      for (index_ = 0; index_ < llvm::range_size(*module_.getBody()); ++index_)
        reduceTopLevel();
    } while (isChanged_);
    return success();
  }

private:
  using Edit = llvm::function_ref<bool(Operation *, EditRange)>;
  using FunctionEdit = llvm::function_ref<bool(func::FuncOp, EditRange)>;
  using Count = llvm::function_ref<size_t()>;

  bool isInteresting(ModuleOp module) const {
    return tester_.isInteresting(module).first == Tester::Interestingness::True;
  }

  Operation *topLevel(ModuleOp module) const { return &*std::next(module.getBody()->begin(), index_); }
  func::FuncOp function() const { return cast<func::FuncOp>(topLevel(module_)); }

  void reduceTopLevel() {
    auto function = dyn_cast<func::FuncOp>(topLevel(module_));
    if (!function)
      shrink([this] { return programOps(topLevel(module_)).size(); }, eraseProgramOps);
    else if (llvm::hasSingleElement(function.getBody()))
      reduceFunction();
  }

  void reduceFunction() {
    const auto operations = [this] { return cuttableOps(function()).size(); };
    shrinkFunction(operations, cutOps);
    shrinkFunction(operations, bypassOps);
    shrinkFunction(operations,
                   [&](func::FuncOp copy, EditRange range) { return applyPatterns(copy, range, patterns_); });
    shrinkFunction([this] { return numResults(function()); }, dropResults);
    shrinkFunction([this] { return nonzeroConstants(function()).size(); }, zeroConstants);
  }

  void shrinkFunction(Count count, FunctionEdit edit) {
    shrink(count, [&](Operation *op, EditRange range) { return edit(cast<func::FuncOp>(op), range); });
  }

  /// Applies the edit to as much of a list as possible, in chunks of falling size.
  void shrink(Count count, Edit edit) {
    for (size_t chunk = std::max<size_t>(1, count() / 2);; chunk /= 2) {
      for (size_t first = 0; first < count();) {
        if (apply(edit, {first, chunk}))
          chunk = std::clamp<size_t>(count() / 2, 1, chunk);
        else
          first += chunk;
      }
      if (chunk == 1)
        return;
    }
  }

  /// Takes over an edited copy if it is valid and interesting.
  bool apply(Edit edit, EditRange range) {
    OwningOpRef<ModuleOp> copy = module_.clone();
    if (!edit(topLevel(*copy), range) || !isValid(*copy) || !isInteresting(*copy))
      return false;
    module_.getBodyRegion().takeBody(copy->getBodyRegion());
    isChanged_ = true;
    return true;
  }

  static bool isValid(ModuleOp module) {
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    return succeeded(verify(module));
  }

  ModuleOp module_;
  const Tester &tester_;
  const FrozenRewritePatternSet patterns_;
  size_t index_ = 0; ///< of the operation in the module's body
  bool isChanged_ = false;
};

struct ReduceModulePass : PassWrapper<ReduceModulePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceModulePass)

  ReduceModulePass() = default;
  ReduceModulePass(const ReduceModulePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "avocet-reduce-module"; }
  StringRef getDescription() const override {
    return "Cut, bypass and simplify operations while the tester ends with 1";
  }

  void runOnOperation() override {
    if (!llvm::sys::fs::can_execute(tester)) {
      getOperation().emitError("test=") << tester << ": is no program; give the path of an executable file";
      return signalPassFailure();
    }
    const SmallVector<std::string> arguments(testerArgs.begin(), testerArgs.end());
    const Tester runner(tester, arguments);
    if (failed(ModuleReducer(getOperation(), runner).run()))
      signalPassFailure();
  }

  Option<std::string> tester{*this, "test", llvm::cl::desc("Program that ends with 1 for an interesting module")};
  ListOption<std::string> testerArgs{*this, "test-arg", llvm::cl::desc("Its arguments before the module's path")};
};

/// Registers the pass --avocet-reduce-module, which cuts functions and programs with the tester and the reduction
/// patterns of MLIR's reducer. (MLIR's own pass, --reduction-tree, is not registered. It keeps arguments and results of
/// functions. It erases operations whose results are used, and crashes when it copies their users.)
void registerModuleReduction() { PassRegistration<ReduceModulePass>(); }

} // namespace

} // namespace avocet::compiler

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
