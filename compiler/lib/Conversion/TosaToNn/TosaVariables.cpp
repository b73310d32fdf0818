//===- TosaVariables.cpp - Variables as states of the network ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaConstants.h"
#include "TosaGraph.h"

#include "Import/Common/Constants.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The variable as a state of the function; null after a report.
State *stateOf(TosaOperation &op, StringRef name) {
  auto [place, isNew] = op.import().variables.try_emplace(name.str());
  State &state = place->second;
  if (!isNew)
    return state.argument ? &state : nullptr;
  auto variable = op.source()->getParentOfType<ModuleOp>().lookupSymbol<tosa::VariableOp>(name);
  if (!variable)
    return op.malformed("names the variable '" + name + "', which does not exist"), nullptr;
  const SmallVector<int64_t> shape(variable.getVarShape().getValues<int64_t>());
  const Type element = tosaElement(variable.getType());
  if (!element || !hasFixedShape(RankedTensorType::get(shape, element)))
    return op.refuse("variable", "static shape and an element type of the device", llvm::to_string(variable.getType())),
           nullptr;
  const auto type = RankedTensorType::get(shape, element);
  if (failed(checkComputedBytes(op, "variable", type)))
    return nullptr;
  state.name = name.str();
  if (auto value = dyn_cast_if_present<ElementsAttr>(variable.getInitialValueAttr()))
    if (ElementsAttr elements = elementsOf(op, value))
      state.initial = nn::ConstantOp::create(op.builder(), op.location(), type, elements);
  op.import().states.addArgument(cast<func::FuncOp>(op.import().body->getParentOp()), state, type);
  return &state;
}

LogicalResult convertRead(TosaOperation &op, tosa::VariableReadOp source) {
  State *state = stateOf(op, source.getName());
  return state ? op.finish(state->current) : failure();
}

/// Code in branches and loops may not run, or more than once.
LogicalResult convertWrite(TosaOperation &op, tosa::VariableWriteOp source) {
  Value value = op.plain(0);
  if (op.builder().getInsertionBlock() != op.import().body)
    return op.refuse("variable", "is written outside of branches and loops", "inside of one");
  State *state = value ? stateOf(op, source.getName()) : nullptr;
  if (!state)
    return failure();
  if (value.getType() != state->current.getType())
    return op.malformed("writes " + llvm::to_string(value.getType()) + " to the variable '" + source.getName() +
                        "' of type " + llvm::to_string(state->current.getType()));
  state->current = value;
  return success();
}

constexpr TosaConverter kConverters[] = {kConverts<convertRead>, kConverts<convertWrite>};

} // namespace

ArrayRef<TosaConverter> tosaVariableConverters() { return kConverters; }

} // namespace avocet::compiler
