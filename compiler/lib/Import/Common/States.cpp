//===- States.cpp - What a network keeps between runs -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "States.h"

#include "BorderTensors.h"
#include "Constants.h"

#include "avocet/compiler/Support/ProgramAttrs.h"

using namespace mlir;

namespace avocet::compiler {

/// The byte with which TensorFlow Lite fills a variable: the zero point of signed bytes, 0 for all other types.
static char zeroByte(Type element) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(element);
  const bool isByte = quantized && quantized.isSigned() && quantized.getStorageTypeIntegralWidth() == 8;
  return isByte ? static_cast<char>(quantized.getZeroPoint()) : 0;
}

void States::addArgument(func::FuncOp function, State &state, RankedTensorType type) {
  if (state.argument)
    return;
  Builder builder(function.getContext());
  auto constant = state.initial ? state.initial.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  ElementsAttr initial =
      constant ? cast<ElementsAttr>(constant.getValue())
               : computedElements(type, "state",
                                  [zero = zeroByte(type.getElementType())](llvm::MutableArrayRef<char> bytes) {
                                    llvm::fill(bytes, zero);
                                  });
  auto attributes = builder.getDictionaryAttr({builder.getNamedAttr(nn::kNameAttr, builder.getStringAttr(state.name)),
                                               builder.getNamedAttr(attrs::kInitialState, initial)});
  Location location = NameLoc::get(builder.getStringAttr(state.name), function.getLoc());
  const unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, type, attributes, location);
  state.argument = state.current = function.getArgument(index);
  states_.push_back(&state);
}

LogicalResult States::addResults(func::FuncOp function, SmallVectorImpl<Value> &results) const {
  Builder builder(function.getContext());
  for (const State *state : states_) {
    auto name = builder.getNamedAttr(nn::kNameAttr, builder.getStringAttr(state->name));
    (void)function.insertResult(function.getNumResults(), state->current.getType(), builder.getDictionaryAttr({name}));
    results.push_back(state->current);
  }
  const size_t inputs = function.getNumArguments(), outputs = results.size(), variables = states_.size();
  return checkBorder(function.getLoc(), {inputs - variables, outputs - variables, variables});
}

} // namespace avocet::compiler
