//===- TosaControlFlow.cpp - Branches and loops -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "Import/Common/ControlFlow.h"
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

// The dialect compares the types of graphs and results.

LogicalResult convertIf(TosaOperation &op, tosa::IfOp source) {
  FailureOr<SmallVector<Value>> values = op.plainValues(1);
  Value condition = op.value(0, "condition");
  if (failed(values) || !condition)
    return failure();
  Region first, second;
  for (auto [from, to] : {std::pair(&source.getThenGraph(), &first), std::pair(&source.getElseGraph(), &second)}) {
    to->emplaceBlock();
    if (failed(importRegion(op, *to, [&] { return convertBlock(op.import(), from->front(), *values); })))
      return failure();
  }
  nn::IfOp created = createIf(op, condition, first, second);
  return created ? finishAll(op, created.getResults()) : failure();
}

LogicalResult convertTurn(TosaOperation &op, Region &from, ValueRange inits, Region &to) {
  const SmallVector<Location> locations(inits.size(), op.location());
  to.emplaceBlock().addArguments(inits.getTypes(), locations);
  return importRegion(op, to, [&] { return convertBlock(op.import(), from.front(), to.front().getArguments()); });
}

LogicalResult convertWhile(TosaOperation &op, tosa::WhileOp source) {
  FailureOr<SmallVector<Value>> inits = op.plainValues();
  Region condition, body;
  if (failed(inits) || failed(convertTurn(op, source.getCondGraph(), *inits, condition)) ||
      failed(convertTurn(op, source.getBodyGraph(), *inits, body)))
    return failure();
  nn::WhileOp created = createWhile(op, *inits, condition, body);
  return created ? finishAll(op, created.getResults()) : failure();
}

LogicalResult refuseCustom(TosaOperation &op, tosa::CustomOp source) {
  return op.refuse("", "domain '" + source.getDomainName() + "', operator '" + source.getOperatorName() + "'",
                   "an operator that the specification does not define");
}

constexpr TosaConverter kConverters[] = {kConverts<refuseCustom>, kConverts<convertIf>, kConverts<convertWhile>};

} // namespace

ArrayRef<TosaConverter> tosaControlFlowConverters() { return kConverters; }

} // namespace avocet::compiler
