//===- TosaRows.cpp - What conversions from and to TOSA share ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaRows.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/Refusal.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {

Type tosaElement(Type element) {
  if (element.isInteger(48))
    return IntegerType::get(element.getContext(), 64);
  const bool isInteger = element.isSignlessInteger(1) || element.isSignlessInteger(8) ||
                         element.isSignlessInteger(16) || element.isSignlessInteger(32) || element.isUnsignedInteger(8);
  return isInteger || element.isBF16() || element.isF16() || element.isF32() ? element : Type();
}

bool hasFixedShape(Type type) {
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && nn::hasBoundedShape(tensor);
}

/// Types of the function's arguments or results, each of which is refused if the other dialect does not have it.
static FailureOr<SmallVector<Type>> borderTypes(func::FuncOp function, StringRef border, TypeRange types,
                                                ElementMap elementOf) {
  SmallVector<Type> converted;
  bool isComplete = true;
  for (auto [position, type] : llvm::enumerate(types)) {
    const bool isFixed = hasFixedShape(type);
    const Type element = isFixed ? elementOf(cast<RankedTensorType>(type).getElementType()) : Type();
    converted.push_back(element ? cast<RankedTensorType>(type).clone(element) : Type());
    if (element)
      continue;
    isComplete = false;
    const StringRef rule = isFixed ? "element type" : "static shape of rank at most 32 with 1 to 2^31 - 1 elements";
    emitRefusal(function.getLoc(), {border.str(), std::to_string(position), rule.str(), llvm::to_string(type),
                                    isFixed ? kTosaElements.str() : "", "", "change the model"});
  }
  return isComplete ? FailureOr<SmallVector<Type>>(converted) : FailureOr<SmallVector<Type>>();
}

func::FuncOp convertBorder(func::FuncOp source, StringRef name, ElementMap elementOf) {
  auto inputs = borderTypes(source, "input", source.getArgumentTypes(), elementOf);
  auto outputs = borderTypes(source, "output", source.getResultTypes(), elementOf);
  if (failed(inputs) || failed(outputs))
    return {};
  OpBuilder builder(source);
  auto function = func::FuncOp::create(builder, source.getLoc(), name, builder.getFunctionType(*inputs, *outputs));
  function.setAllArgAttrs(source.getAllArgAttrs());
  function.setAllResultAttrs(source.getAllResultAttrs());
  function.addEntryBlock();
  for (auto [from, to] : llvm::zip_equal(source.getArguments(), function.getArguments()))
    to.setLoc(from.getLoc());
  return function;
}

void addPlaceholders(OpBuilder &builder, Operation *refused, ElementMap elementOf, ValueMap &values) {
  for (Value result : refused->getResults()) {
    auto own = dyn_cast<RankedTensorType>(result.getType());
    const Type element = own ? elementOf(own.getElementType()) : Type();
    const RankedTensorType type = element ? own.clone(element) : RankedTensorType::get({1}, builder.getIndexType());
    values[result] = UnrealizedConversionCastOp::create(builder, refused->getLoc(), type, ValueRange()).getResult(0);
  }
}

} // namespace avocet::compiler
