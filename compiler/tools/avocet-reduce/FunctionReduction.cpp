//===- FunctionReduction.cpp - Reduction of functions --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionReduction.h"

#include "FunctionEdits.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Delta debugging on the functions of a module, with the tester of MLIR's reducer.
class FunctionReducer {
public:
  FunctionReducer(ModuleOp module, const Tester &tester) : module_(module), tester_(tester) {}

  LogicalResult run() {
    if (!isInteresting(module_))
      return module_.emitError("the tester must end with 1 for the module itself; it ended with 0");
    const size_t functions = llvm::range_size(module_.getOps<func::FuncOp>());
    do {
      isChanged_ = false;
      for (index_ = 0; index_ < functions; ++index_)
        reduceFunction();
    } while (isChanged_);
    return success();
  }

private:
  using Edit = bool (*)(func::FuncOp, EditRange);
  using Count = llvm::function_ref<size_t()>;

  bool isInteresting(ModuleOp module) const {
    return tester_.isInteresting(module).first == Tester::Interestingness::True;
  }

  func::FuncOp functionOf(ModuleOp module) const { return *std::next(module.getOps<func::FuncOp>().begin(), index_); }
  func::FuncOp function() const { return functionOf(module_); }

  void reduceFunction() {
    if (!llvm::hasSingleElement(function().getBody()))
      return;
    const auto operations = [this] { return cuttableOps(function()).size(); };
    shrink(operations, cutOps);
    shrink(operations, bypassOps);
    shrink([this] { return numResults(function()); }, dropResults);
    shrink([this] { return nonzeroConstants(function()).size(); }, zeroConstants);
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
    if (!edit(functionOf(*copy), range) || !isValid(*copy) || !isInteresting(*copy))
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
  size_t index_ = 0; ///< of the function
  bool isChanged_ = false;
};

struct ReduceFunctionPass : PassWrapper<ReduceFunctionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceFunctionPass)

  ReduceFunctionPass() = default;
  ReduceFunctionPass(const ReduceFunctionPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "avocet-reduce-function"; }
  StringRef getDescription() const override {
    return "Cut, bypass and simplify the operations of functions while the tester ends with 1";
  }

  void runOnOperation() override {
    const SmallVector<std::string> arguments(testerArgs.begin(), testerArgs.end());
    const Tester runner(tester, arguments);
    if (failed(FunctionReducer(getOperation(), runner).run()))
      signalPassFailure();
  }

  Option<std::string> tester{*this, "test", llvm::cl::desc("Program that ends with 1 for an interesting module")};
  ListOption<std::string> testerArgs{*this, "test-arg", llvm::cl::desc("Its arguments before the module's path")};
};

} // namespace

void registerFunctionReduction() { PassRegistration<ReduceFunctionPass>(); }

} // namespace avocet::compiler
