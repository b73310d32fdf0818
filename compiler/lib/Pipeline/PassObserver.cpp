//===- PassObserver.cpp - The module after each pass ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassObserver.h"

#include "Output.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Passes that are made of others: their parts are reported.
bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }

ModuleOp moduleOf(Operation *op) {
  while (op->getParentOp())
    op = op->getParentOp();
  return cast<ModuleOp>(op);
}

} // namespace

class PassObserver::Instrumentation : public PassInstrumentation {
public:
  Instrumentation(PassObserver &observer, Phase phase) : observer_(observer), phase_(phase) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    if (!isAdaptor(pass))
      observer_.note(phase_, pass->getArgument(), moduleOf(op));
  }

  void runAfterPassFailed(Pass *pass, Operation * /*op*/) override {
    if (!isAdaptor(pass))
      observer_.noteFailure(phase_, pass->getArgument());
  }

private:
  PassObserver &observer_;
  Phase phase_;
};

void PassObserver::observe(PassManager &manager, Phase phase) {
  if (isOn())
    manager.addInstrumentation(std::make_unique<Instrumentation>(*this, phase));
}

void PassObserver::note(Phase phase, StringRef step, ModuleOp module) {
  if (!isOn())
    return;
  std::string text = print(module);
  if (text == text_)
    return;
  text_ = std::move(text);
  report(phase, step, /*isFailed=*/false);
}

void PassObserver::noteFailure(Phase phase, StringRef step) {
  if (isOn())
    report(phase, step, /*isFailed=*/true);
}

void PassObserver::report(Phase phase, StringRef step, bool isFailed) const {
  request_.afterPass({nameOf(phase),
                      std::string_view(step.data(), step.size()),
                      isFailed,
                      {reinterpret_cast<const uint8_t *>(text_.data()), text_.size()}});
}

std::string PassObserver::print(ModuleOp module) const {
  std::string text;
  if (request_.elidesConstants)
    printElided(module, text);
  else
    (void)printModule(module, IrFormat::Text, text);
  return text;
}

} // namespace avocet::compiler
