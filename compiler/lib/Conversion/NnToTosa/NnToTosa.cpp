//===- NnToTosa.cpp - Networks in the TOSA dialect --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/Dialect/Tosa/IR/TargetEnv.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_CONVERTNNTOTOSAPASS
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

namespace {

const TosaExporter *exporterOf(Operation *op) {
  static constexpr ArrayRef<TosaExporter> (*const kTables[])() = {
      convExporters, elementwiseExporters, functionExporters, moveExporters, reductionExporters, resizeExporters};
  const StringRef name = op->getName().getStringRef();
  return findConverter<TosaExporter>(kTables, [name](const TosaExporter &row) { return row.name == name; });
}

/// Readers of a refused operation are exported all the same, to find more refusals.
void addPlaceholders(TosaExport &state, Operation *op) {
  for (Value result : op->getResults()) {
    const auto own = dyn_cast<RankedTensorType>(result.getType());
    const Type element = own ? exportedElement(own.getElementType()) : Type();
    const auto type = RankedTensorType::get(own ? own.getShape() : ArrayRef<int64_t>{1},
                                            element ? element : state.builder.getI8Type());
    state.values[result] =
        UnrealizedConversionCastOp::create(state.builder, op->getLoc(), type, ValueRange()).getResult(0);
  }
}

LogicalResult exportOperation(TosaExport &state, Operation *op) {
  ExportedOperation exported(state, op);
  const TosaExporter *exporter = exporterOf(op);
  if (exporter && succeeded(exporter->convert(exported)))
    return success();
  if (!exporter)
    exported.refuse("", "an operation of TOSA", op->getName().stripDialect());
  addPlaceholders(state, op);
  return failure();
}

/// The types of the function; failure after a refusal.
FailureOr<SmallVector<Type>> borderTypes(func::FuncOp function, StringRef border, TypeRange types) {
  SmallVector<Type> exported;
  bool isComplete = true;
  for (auto [position, type] : llvm::enumerate(types)) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    const Type element = tensor ? exportedElement(tensor.getElementType()) : Type();
    exported.push_back(element ? Type(RankedTensorType::get(tensor.getShape(), element)) : type);
    if (element)
      continue;
    isComplete = false;
    emitRefusal(function.getLoc(), {border.str(), std::to_string(position), "element type", llvm::to_string(type),
                                    "those of TOSA", "", "change the model"});
  }
  if (!isComplete)
    return failure();
  return exported;
}

/// States are arguments that the device keeps.
LogicalResult checkArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), attrs::kInitialState))
      return emitRefusal(function.getLoc(), {"network", "input " + std::to_string(argument.getArgNumber()),
                                             "kept between runs by the caller", "a state", "", "",
                                             "make it an input and an output of the model"}),
             failure();
  return success();
}

/// The value as the network has it at its border.
Value borderForm(TosaExport &state, Operation *end, Value value) {
  ExportedOperation op(state, end);
  if (!isUnsignedByte(value))
    return op.value(value);
  if (Value known = op.unsignedForm(value))
    return known;
  const RescaleForm form{state.builder.getI8Type(), 0, 128, {}, /*isFromUnsigned=*/false, /*isToUnsigned=*/true};
  return op.rescale(op.value(value), form);
}

LogicalResult exportBody(TosaExport &state, func::FuncOp source, func::FuncOp function) {
  for (auto [from, to] : llvm::zip_equal(source.getArguments(), function.getArguments())) {
    to.setLoc(from.getLoc());
    (isUnsignedByte(from) ? state.unsignedValues : state.values)[from] = to;
  }
  bool isComplete = true;
  for (Operation &op : source.getBody().front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      isComplete &= succeeded(exportOperation(state, &op));
  Operation *end = source.getBody().front().getTerminator();
  SmallVector<Value> results;
  for (Value value : end->getOperands())
    isComplete &= bool(results.emplace_back(borderForm(state, end, value)));
  if (isComplete)
    func::ReturnOp::create(state.builder, end->getLoc(), results);
  return success(isComplete);
}

LogicalResult exportFunction(func::FuncOp source) {
  auto inputs = borderTypes(source, "input", source.getArgumentTypes());
  auto outputs = borderTypes(source, "output", source.getResultTypes());
  if (failed(inputs) || failed(outputs) || failed(checkArguments(source)))
    return failure();
  OpBuilder builder(source);
  auto function =
      func::FuncOp::create(builder, source.getLoc(), source.getSymName(), builder.getFunctionType(*inputs, *outputs));
  function.setAllArgAttrs(source.getAllArgAttrs());
  function.setAllResultAttrs(source.getAllResultAttrs());
  TosaExport state{builder, function.addEntryBlock()};
  builder.setInsertionPointToEnd(state.body);
  if (failed(exportBody(state, source, function))) {
    function.erase();
    return failure();
  }
  source.erase();
  return success();
}

} // namespace

LogicalResult convertNnToTosa(ModuleOp module) {
  module.getContext()->loadDialect<func::FuncDialect, tosa::TosaDialect>();
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() != 1 || !functions.front().getBody().hasOneBlock())
    return module.emitError() << "has " << functions.size() << " functions; a network for TOSA is one, with one block";
  if (failed(exportFunction(functions.front())))
    return failure();
  module->removeAttr(attrs::kPhase);
  setTosaVersion(module, TosaVersion::V10);
  return success(succeeded(verify(module)) && succeeded(validateTosa(module)));
}

namespace {

struct ConvertNnToTosaPass : impl::ConvertNnToTosaPassBase<ConvertNnToTosaPass> {
  void runOnOperation() override {
    if (failed(convertNnToTosa(getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace avocet::compiler
