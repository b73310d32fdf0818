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

LogicalResult exportOperation(TosaExport &state, Operation *op) {
  ExportedOperation exported(state, op);
  const TosaExporter *exporter = exporterOf(op);
  const LogicalResult done = exporter ? exporter->convert(exported)
                                      : exported.refuse("", "an operation of TOSA", op->getName().stripDialect());
  if (failed(done))
    addPlaceholders(state.builder, op, exportedElement, state.values);
  return done;
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
  const RescaleForm form{op.i8(), 0, 128, {}, /*isFromUnsigned=*/false, /*isToUnsigned=*/true};
  return op.rescale(op.value(value), form);
}

LogicalResult exportBody(TosaExport &state, func::FuncOp source, func::FuncOp function) {
  for (auto [from, to] : llvm::zip_equal(source.getArguments(), function.getArguments()))
    (isUnsignedByte(from) ? state.unsignedValues : state.values)[from] = to;
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
  func::FuncOp function = convertBorder(source, source.getSymName(), exportedElement);
  if (!function)
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(&function.getBody().front());
  TosaExport state{builder, {&function.getBody().front()}};
  const bool isComplete = succeeded(checkArguments(source)) && succeeded(exportBody(state, source, function));
  (isComplete ? source : function).erase();
  return success(isComplete);
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
  module->removeAttr(attrs::kKeepsInfinities);
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
