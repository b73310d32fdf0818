//===- ImportedOperation.cpp - What all importers share ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportedOperation.h"

#include "ImportTypes.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace avocet::compiler {

Value ofRank(ImportedOperation &op, Value value, StringRef operand, size_t rank) {
  if (value && shapeOf(value).size() != rank)
    return op.malformed("has " + operand + " of rank " + Twine(shapeOf(value).size()) + ", must be " + Twine(rank));
  return value;
}

Value ofShape(ImportedOperation &op, Value value, StringRef operand, ArrayRef<int64_t> shape) {
  if (value && shapeOf(value) != shape)
    return op.malformed("has " + operand + " " + nn::textOf(shapeOf(value)) + ", must be " + nn::textOf(shape));
  return value;
}

LogicalResult finishAll(ImportedOperation &op, ValueRange values) {
  for (auto [position, value] : llvm::enumerate(values))
    if (failed(op.finish(value, static_cast<uint32_t>(position))))
      return failure();
  return success();
}

LogicalResult finishDeclared(ImportedOperation &op, ArrayRef<Value> values) {
  if (op.numOutputs() > values.size())
    return op.malformed("has " + Twine(op.numOutputs()) + " outputs, at most " + Twine(values.size()));
  return finishAll(op, values.take_front(op.numOutputs()));
}

Location beginImport(MLIRContext *context, const llvm::MemoryBuffer &file) {
  context->loadDialect<nn::NnDialect, func::FuncDialect, quant::QuantDialect>();
  return NameLoc::get(StringAttr::get(context, llvm::sys::path::filename(file.getBufferIdentifier())));
}

ImportedOperation::ImportedOperation(ImportState &state, std::string subject, std::string name, Location location,
                                     std::string output)
    : state_(state), name_(std::move(name)), subject_(std::move(subject) + " " + name_), location_(location),
      output_(std::move(output)) {
  if (Block *block = state.builder.getInsertionBlock(); block && !block->empty())
    previous_ = &block->back();
}

Reported ImportedOperation::refuse(StringRef operand, const Twine &rule, const Twine &value, const Twine &limit) {
  state_.refused = true;
  RefusalReason reason{subject_, operand.str(), rule.str(), value.str(), limit.str(), output_};
  if (isOfApplication())
    reason.advice =
        "let the application compute this operator (option fallback of the C library and Python), or change "
        "the model";
  emitRefusal(location_, reason);
  return {};
}

Reported ImportedOperation::malformed(const Twine &message) {
  emitError(location_) << subject_ << " " << message;
  return {};
}

Reported ImportedOperation::breaksRule(const std::string &rule) {
  return refuse("", "has operands and results that its rules admit", rule);
}

FailureOr<SmallVector<mlir::Diagnostic>> ImportedOperation::attempt(llvm::function_ref<LogicalResult()> convert) {
  SmallVector<mlir::Diagnostic> reports;
  const bool refusedBefore = std::exchange(state_.refused, false);
  LogicalResult converted = failure();
  {
    ScopedDiagnosticHandler handler(builder().getContext(), [&](mlir::Diagnostic &diagnostic) {
      reports.push_back(std::move(diagnostic));
      return success();
    });
    converted = convert();
  }
  const bool refused = std::exchange(state_.refused, refusedBefore);
  if (failed(converted) && refused)
    return std::move(reports);
  for (mlir::Diagnostic &report : reports)
    builder().getContext()->getDiagEngine().emit(std::move(report));
  if (failed(converted))
    return failure();
  return SmallVector<mlir::Diagnostic>();
}

void ImportedOperation::report(SmallVector<mlir::Diagnostic> refusals) {
  state_.refused = true;
  for (mlir::Diagnostic &refusal : refusals)
    builder().getContext()->getDiagEngine().emit(std::move(refusal));
}

Operation *ImportedOperation::firstCreated() {
  Block &block = *builder().getInsertionBlock();
  return previous_ ? previous_->getNextNode() : block.empty() ? nullptr : &block.front();
}

/// The text of a verifier's error without the name of the operation, which stands before it.
static std::string ruleIn(mlir::Diagnostic &diagnostic) {
  const std::string text = diagnostic.str();
  const size_t name = text.find(" op ");
  return name == std::string::npos ? text : text.substr(name + 4);
}

LogicalResult ImportedOperation::verifyCreated() {
  std::string broken;
  {
    ScopedDiagnosticHandler handler(builder().getContext(), [&](mlir::Diagnostic &diagnostic) {
      if (broken.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        broken = ruleIn(diagnostic);
      return success();
    });
    for (Operation *created = firstCreated(); created && broken.empty(); created = created->getNextNode())
      if (!hasImportOnly(created) && failed(verify(created)))
        break;
  }
  return broken.empty() ? success() : LogicalResult(breaksRule(broken));
}

InFlightDiagnostic BrokenRule::operator()() {
  handler_.emplace(op_.builder().getContext(), [this](mlir::Diagnostic &diagnostic) {
    text_ = diagnostic.str();
    return success();
  });
  return emitError(op_.location());
}

FailureOr<int64_t> ImportedOperation::normalizedAxis(int64_t axis, int64_t rank, StringRef owner) {
  if (axis < -rank || axis >= rank)
    return malformed("has the axis " + Twine(axis) + " for " + owner + "rank " + Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<int64_t> ImportedOperation::integer(uint32_t position, StringRef operand, std::optional<int64_t> otherwise) {
  if (otherwise && !hasInput(position))
    return *otherwise;
  FailureOr<SmallVector<int64_t>> values = integers(position, operand, 1);
  return failed(values) ? FailureOr<int64_t>(failure()) : values->front();
}

FailureOr<int64_t> ImportedOperation::axis(uint32_t position, int64_t rank) {
  FailureOr<int64_t> axis = integer(position, "axis");
  return failed(axis) ? axis : normalizedAxis(*axis, rank);
}

FailureOr<int64_t> ImportedOperation::axis(uint32_t position, Value of) {
  return of ? axis(position, static_cast<int64_t>(shapeOf(of).size())) : FailureOr<int64_t>(failure());
}

FailureOr<SmallVector<int64_t>> ImportedOperation::normalizedAxes(SmallVector<int64_t> axes, int64_t rank) {
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normalized = normalizedAxis(axis, rank);
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  return axes;
}

FailureOr<SmallVector<int64_t>> ImportedOperation::axes(uint32_t position, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = integers(position, "axes");
  return failed(axes) ? axes : normalizedAxes(*axes, rank);
}

FailureOr<SmallVector<Value>> ImportedOperation::values(uint32_t first, uint32_t end) {
  SmallVector<Value> values;
  for (uint32_t position = first; position < end; ++position) {
    values.push_back(value(position, "input " + std::to_string(position)));
    if (!values.back())
      return failure();
  }
  return values;
}

FailureOr<SmallVector<int64_t>> ImportedOperation::integers(uint32_t position, StringRef operand, size_t count) {
  FailureOr<SmallVector<int64_t>> values = integers(position, operand);
  if (succeeded(values) && values->size() != count)
    return malformed("has " + Twine(values->size()) + " " + operand + ", must have " + Twine(count));
  return values;
}

FailureOr<SmallVector<int64_t>> ImportedOperation::integersOr(uint32_t position, StringRef operand,
                                                              SmallVector<int64_t> otherwise) {
  return hasInput(position) ? integers(position, operand, otherwise.size()) : FailureOr(std::move(otherwise));
}

LogicalResult ImportedOperation::checkInputs(uint32_t count, uint32_t least, uint32_t most) {
  if (count >= least && count <= most)
    return success();
  return malformed("has " + Twine(count) + " inputs, must have " + Twine(least) + " to " + Twine(most));
}

} // namespace avocet::compiler
