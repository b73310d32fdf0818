//===- ModuleReduction.cpp - Reduction of modules --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleReduction.h"

#include "FunctionEdits.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

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

} // namespace

void registerModuleReduction() { PassRegistration<ReduceModulePass>(); }

} // namespace avocet::compiler
