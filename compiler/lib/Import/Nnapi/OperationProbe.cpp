//===- OperationProbe.cpp - One operation at one choice of shapes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationProbe.h"

#include "NnapiFile.h"

#include "avocet/compiler/Support/Refusal.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The function of one network: arguments for the operation's inputs, and its results.
class ProbeFunction {
public:
  ProbeFunction(const ProbeModel &model, uint32_t operation)
      : model_(model), operation_(operation), builder_(model.context), module_(ModuleOp::create(model.location)),
        import_{{builder_, model.bytes, model.location}, model.file}, graph_(import_, 0) {
    import_.isQuery = true;
    import_.maxElements = kMaxOpenElements;
    import_.unrolledLoops = model.unrolledLoops;
  }

  NnapiImport &import() { return import_; }
  NnapiGraph &graph() { return graph_; }
  ModuleOp module() { return *module_; }

  LogicalResult bind(ArrayRef<ProbeInput> inputs) {
    SmallVector<Type> types;
    SmallVector<const ProbeInput *> bound;
    for (const ProbeInput &input : inputs) {
      if (input.isOmitted) {
        graph_.omit(input.operand);
        continue;
      }
      bound.push_back(&input);
      NnapiElement element = elementTypeOf(model_.context, graph_.operand(input.operand));
      if (!element.type)
        return emitError(model_.location) << "operand " << input.operand << ": " << element.rule;
      types.push_back(RankedTensorType::get(input.extents, element.type));
      if (static_cast<uint64_t>(cast<RankedTensorType>(types.back()).getNumElements()) > kMaxOpenElements) {
        import_.tooLarge = true;
        return failure();
      }
    }
    builder_.setInsertionPointToEnd(module_->getBody());
    func::FuncOp function =
        func::FuncOp::create(builder_, model_.location, "main", builder_.getFunctionType(types, {}));
    import_.function = function;
    Block *body = function.addEntryBlock();
    builder_.setInsertionPointToEnd(body);
    for (auto [index, argument] : llvm::enumerate(body->getArguments())) {
      function.setArgAttr(index, nn::kNameAttr, builder_.getStringAttr("input" + Twine(index)));
      graph_.bind(bound[index]->operand, argument);
      if (bound[index]->openRows)
        import_.openRows[argument] = *bound[index]->openRows;
    }
    return success();
  }

  void give(const NnapiValues &values) {
    NnapiOperation op(graph_, operation_);
    for (const auto &[position, elements] : values)
      graph_.giveIntegers(op.inputIndex(position), elements);
  }

  /// Fails if the operation is malformed or was refused.
  LogicalResult importOperation() {
    if (failed(graph_.importOperation(operation_)) || import_.refused)
      return failure();
    SmallVector<Value> results;
    for (uint32_t operand : *graph_.subgraph().operations()->Get(operation_)->outputs())
      results.push_back(graph_.value(operand));
    func::ReturnOp::create(builder_, model_.location, results);
    func::FuncOp function = import_.function;
    function.setType(builder_.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(ArrayRef(results)))));
    for (unsigned index = 0; index < results.size(); ++index)
      function.setResultAttr(index, nn::kNameAttr, builder_.getStringAttr("output" + Twine(index)));
    return verify(*module_);
  }

  void describe(ProbeResult &result) {
    for (uint32_t operand : *graph_.subgraph().operations()->Get(operation_)->outputs()) {
      result.results.emplace_back(shapeOf(graph_.value(operand)));
      const OpenRows *rows = openRowsOf(import_, graph_.value(operand));
      result.openRows.push_back(rows ? std::optional(*rows) : std::nullopt);
    }
  }

private:
  const ProbeModel &model_;
  const uint32_t operation_;
  OpBuilder builder_;
  OwningOpRef<ModuleOp> module_;
  NnapiImport import_;
  NnapiGraph graph_;
};

/// Stores the first error instead of reporting it.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler_(context, [this](mlir::Diagnostic &diagnostic) { return note(diagnostic); }) {}

  void describe(ProbeResult &result) const {
    result.message = message_;
    if (refusal_)
      result.reason = *refusal_;
    else
      result.reason.rule = message_;
  }

private:
  LogicalResult note(mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !message_.empty())
      return success();
    message_ = diagnostic.str();
    refusal_ = refusalOf(diagnostic);
    return success();
  }

  std::string message_;
  std::optional<Refusal> refusal_;
  ScopedDiagnosticHandler handler_;
};

} // namespace

/// The result of `list` of the operation's converter, for the operation with its inputs bound.
template <typename List, typename Call>
static List listOf(const ProbeModel &model, uint32_t operation, ArrayRef<ProbeInput> inputs, Call &&call) {
  FirstError errors(model.context);
  ProbeFunction function(model, operation);
  const OperationType type = typeOf(*model.file.subgraph(0).operations()->Get(operation));
  const NnapiConverter *converter = findNnapiConverter(model.file, type);
  if (!converter || failed(function.bind(inputs)))
    return {};
  NnapiOperation op(function.graph(), operation);
  return call(*converter, op);
}

NnapiValueChoices OperationProbe::valueChoices() const {
  auto choices = [](const NnapiConverter &converter, NnapiOperation &op) {
    return converter.choices ? converter.choices(op, static_cast<int64_t>(kMaxOpenElements)) : NnapiValueChoices();
  };
  return listOf<NnapiValueChoices>(model_, operation_, inputs_, choices);
}

SmallVector<NnapiPresent> OperationProbe::presences() const {
  auto presences = [](const NnapiConverter &converter, NnapiOperation &op) {
    return converter.presences ? converter.presences(op) : SmallVector<NnapiPresent>();
  };
  return listOf<SmallVector<NnapiPresent>>(model_, operation_, inputs_, presences);
}

ProbeResult OperationProbe::run(const NnapiValues &values) const {
  using Kind = ProbeResult::Kind;
  FirstError errors(model_.context);
  ProbeFunction function(model_, operation_);
  ProbeResult result;
  LogicalResult imported = function.bind(inputs_);
  if (succeeded(imported)) {
    function.give(values);
    imported = function.importOperation();
  }
  const NnapiImport &import = function.import();
  if (failed(imported)) {
    result.kind = import.tooLarge ? Kind::TooLarge : import.refused ? Kind::Refused : Kind::Inadmissible;
  } else {
    function.describe(result);
    result.kind = succeeded(model_.judge(function.module())) ? Kind::Runs : Kind::Refused;
  }
  errors.describe(result);
  return result;
}

} // namespace avocet::compiler
