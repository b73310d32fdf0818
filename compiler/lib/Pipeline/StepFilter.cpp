//===- StepFilter.cpp - Optional steps of a compilation -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepFilter.h"

#include "avocet/compiler/Support/OptionalActions.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/PassKinds.h"
#include "avocet/compiler/Support/Refusal.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Rewrite/PatternApplicator.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr int64_t kMostElements = 16; ///< of a constant in the text of an operation

/// MLIR shows the name of a pattern only when the action is printed.
std::string patternOf(const ApplyPatternAction &action) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  action.print(stream);
  const StringRef name = StringRef(text).split("pattern: ").second;
  return name.rtrim('`').str();
}

std::string textOf(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return ("func.func @" + function.getName()).str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (op->getNumRegions() != 0)
    stream << op->getName();
  else
    op->print(stream, OpPrintingFlags()
                          .elideLargeElementsAttrs(kMostElements)
                          .elideLargeResourceString(kMostElements)
                          .useLocalScope());
  return text;
}

/// "7 CONV_2D model.tflite:conv1", for each operator.
std::string operatorsOf(Location location) {
  std::vector<cache::SourceEntry> operators;
  appendOperators(location, /*layer=*/0, operators);
  std::string text;
  for (const cache::SourceEntry &entry : operators) {
    text += text.empty() ? "" : ", ";
    if (entry.operation != cache::kNoSource)
      text += std::to_string(entry.operation) + " " + entry.kind + " ";
    text += entry.location;
  }
  return text.empty() ? describeLocation(location) : text;
}

Operation *operationOf(const tracing::Action &action) {
  return llvm::cast<Operation *>(action.getContextIRUnits().front());
}

} // namespace

StepFilter::StepFilter(const CompileRequest &request, MLIRContext *context) : request_(request), context_(context) {
  if (request_.runsStep)
    context_->registerActionHandler([this](Work work, const tracing::Action &action) { handle(work, action); });
}

StepFilter::~StepFilter() {
  if (request_.runsStep)
    context_->registerActionHandler(nullptr);
}

void StepFilter::handle(Work work, const tracing::Action &action) {
  if (const auto *pass = dyn_cast<PassExecutionAction>(&action); pass && isOptional(pass->getPass()))
    return runTransform(work, pass->getPass().getArgument(), pass->getOp());
  if (const auto *transform = dyn_cast<OptionalTransform>(&action))
    return runTransform(work, transform->name, operationOf(action));
  if (const auto *pattern = dyn_cast<ApplyPatternAction>(&action))
    return runRewrite(work, patternOf(*pattern), operationOf(action));
  if (const auto *rewrite = dyn_cast<OptionalRewrite>(&action))
    return runRewrite(work, rewrite->name.str(), operationOf(action));
  work();
}

void StepFilter::runTransform(Work work, StringRef name, Operation *op) {
  transform_ = name;
  if (wants(OptionalStep::Kind::Transform, "", op))
    work();
  transform_ = "";
}

/// A rewrite of a pass that must run is not optional.
void StepFilter::runRewrite(Work work, const std::string &pattern, Operation *op) {
  if (transform_.empty() || wants(OptionalStep::Kind::Rewrite, pattern, op))
    work();
}

bool StepFilter::wants(OptionalStep::Kind kind, StringRef pattern, Operation *op) const {
  const auto view = [](StringRef text) { return std::string_view(text.data(), text.size()); };
  const auto subject = [op] { return OptionalStep::Subject{operatorsOf(op->getLoc()), textOf(op)}; };
  return request_.runsStep({kind, nameOf(phase_), view(transform_), view(pattern), subject});
}

} // namespace avocet::compiler
