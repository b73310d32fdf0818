//===- SectionBuilder.h - The function of one section -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_SECTIONBUILDER_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_SECTIONBUILDER_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/Section.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace avocet::compiler::nn {

using Place = OperandPlace;

/// A value and the place to which a section writes it.
struct Output {
  mlir::Value value;
  Place place;
};

/// Builds the function of one section.
class SectionBuilder {
public:
  explicit SectionBuilder(mlir::OpBuilder &builder) : builder_(builder) {}

  mlir::func::FuncOp build(mlir::Location location, const llvm::Twine &name, llvm::ArrayRef<mlir::Operation *> run,
                           llvm::ArrayRef<Output> outputs, llvm::function_ref<Place(mlir::Value)> placeOf) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    function_ = mlir::func::FuncOp::create(builder_, location, name.str(), builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToStart(function_.addEntryBlock());
    findInputs(run, outputs);
    for (mlir::Value value : inputs_)
      addInput(value, placeOf);
    for (mlir::Operation *op : run)
      builder_.clone(*op, mapping_);
    llvm::SmallVector<mlir::Value> results =
        llvm::map_to_vector(outputs, [&](const Output &output) { return use(output.value); });
    mlir::func::ReturnOp::create(builder_, location, results);
    finish(results, outputs);
    return function_;
  }

private:
  /// Collects inputs in the order of use; constants are cloned instead.
  void findInputs(llvm::ArrayRef<mlir::Operation *> run, llvm::ArrayRef<Output> outputs) {
    llvm::SmallDenseSet<mlir::Operation *> inside(run.begin(), run.end());
    auto add = [&](mlir::Value value) {
      mlir::Operation *definition = value.getDefiningOp();
      if (!inside.contains(definition) && !llvm::isa_and_present<ConstantOp>(definition))
        inputs_.insert(value);
      else if (llvm::isa_and_present<ConstantOp>(definition))
        (void)use(value);
    };
    for (mlir::Operation *op : run)
      llvm::for_each(op->getOperands(), add);
    for (const Output &output : outputs)
      add(output.value);
  }

  void addInput(mlir::Value value, llvm::function_ref<Place(mlir::Value)> placeOf) {
    mapping_.map(value, function_.front().addArgument(value.getType(), value.getLoc()));
    inputPlaces_.push_back(placeOf(value));
  }

  /// The section's own copy of a constant, or the mapped value.
  mlir::Value use(mlir::Value value) {
    if (auto constant = value.getDefiningOp<ConstantOp>(); constant && !mapping_.contains(value))
      builder_.clone(*constant, mapping_);
    return mapping_.lookup(value);
  }

  void finish(llvm::ArrayRef<mlir::Value> results, llvm::ArrayRef<Output> outputs) {
    mlir::Block &body = function_.front();
    llvm::SmallVector<mlir::Type> types =
        llvm::map_to_vector(results, [](mlir::Value value) { return value.getType(); });
    function_.setType(builder_.getFunctionType(body.getArgumentTypes(), types));
    for (auto [index, place] : llvm::enumerate(inputPlaces_))
      function_.setArgAttrs(index, attributes(place));
    for (auto [index, output] : llvm::enumerate(outputs))
      function_.setResultAttrs(index, attributes(output.place));
  }

  llvm::SmallVector<mlir::NamedAttribute> attributes(const Place &place) {
    return {builder_.getNamedAttr(attrs::kRegion, builder_.getI32IntegerAttr(static_cast<int32_t>(place.region))),
            builder_.getNamedAttr(attrs::kOffset, builder_.getI64IntegerAttr(static_cast<int64_t>(place.offset)))};
  }

  mlir::OpBuilder &builder_;
  mlir::func::FuncOp function_;
  mlir::IRMapping mapping_;
  llvm::SetVector<mlir::Value> inputs_;
  llvm::SmallVector<Place> inputPlaces_;
};

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_SECTIONBUILDER_H
