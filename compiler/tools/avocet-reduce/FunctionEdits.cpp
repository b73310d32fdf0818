//===- FunctionEdits.cpp - Changes that make a function smaller ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEdits.h"

#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr StringLiteral kValue = "value";

bool isConstant(Operation *op) { return op->getNumOperands() == 0 && op->hasAttrOfType<ElementsAttr>(kValue); }

/// The part of a list that a range selects.
template <typename T> SmallVector<T> selected(const SmallVector<T> &all, EditRange range) {
  const size_t first = std::min(range.first, all.size());
  return SmallVector<T>(ArrayRef<T>(all).slice(first, std::min(range.size, all.size() - first)));
}

Operation *terminatorOf(func::FuncOp function) { return function.getBody().front().getTerminator(); }

/// Operands of the operation and of those inside it.
void forEachOperand(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
}

StringRef nameOf(Value value) {
  auto named = dyn_cast<NameLoc>(value.getLoc());
  return named ? named.getName().getValue() : StringRef("cut");
}

/// As those that an importer sets.
DictionaryAttr operandAttrs(Value value) {
  Builder builder(value.getContext());
  return builder.getDictionaryAttr({builder.getNamedAttr(attrs::kOperandName, builder.getStringAttr(nameOf(value)))});
}

/// The first arguments and results are new: states are the last ones.
void insertArgument(func::FuncOp function, Value value, const llvm::SmallPtrSetImpl<Operation *> &removed) {
  (void)function.insertArgument(0, value.getType(), operandAttrs(value), value.getLoc());
  value.replaceUsesWithIf(function.getArgument(0), [&](OpOperand &use) {
    return !removed.contains(function.getBody().front().findAncestorOpInBlock(*use.getOwner()));
  });
}

void insertResult(func::FuncOp function, Value value) {
  (void)function.insertResult(0, value.getType(), operandAttrs(value));
  terminatorOf(function)->insertOperands(0, value);
}

void eraseResults(func::FuncOp function, llvm::function_ref<bool(size_t, Value)> isErased) {
  Operation *terminator = terminatorOf(function);
  llvm::BitVector erased(terminator->getNumOperands());
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    if (isErased(i, value))
      erased.set(i);
  terminator->eraseOperands(erased);
  (void)function.eraseResults(erased);
}

/// Removes operations and arguments that have no reader.
void eraseUnused(func::FuncOp function) {
  Operation *next = nullptr;
  for (Operation *op = terminatorOf(function)->getPrevNode(); op; op = next) {
    next = op->getPrevNode();
    if (op->use_empty() && op->getNumResults() != 0)
      op->erase();
  }
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)function.eraseArguments(unused);
}

bool finish(func::FuncOp function) {
  eraseUnused(function);
  return function.getNumResults() != 0;
}

} // namespace

Value standIn(Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (operand.getType() == op->getResult(0).getType() && !(source && isConstant(source)))
      return operand;
  }
  return {};
}

ElementsAttr zerosOf(ShapedType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return {};
  const Attribute zero =
      isa<FloatType>(element) ? Attribute(FloatAttr::get(element, 0.0)) : Attribute(IntegerAttr::get(element, 0));
  return DenseElementsAttr::get(type, zero);
}

SmallVector<Operation *> cuttableOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isConstant(&op))
      ops.push_back(&op);
  return ops;
}

bool cutOps(func::FuncOp function, EditRange range) {
  const SmallVector<Operation *> ops = selected(cuttableOps(function), range);
  const llvm::SmallPtrSet<Operation *, 16> removed(ops.begin(), ops.end());
  llvm::SetVector<Value> needed;
  for (Operation *op : ops)
    forEachOperand(op, [&](Value value) {
      Operation *source = value.getDefiningOp();
      if (source && source->getParentOp() == function && !removed.contains(source) && !isConstant(source))
        needed.insert(value);
    });
  eraseResults(function, [&](size_t, Value value) { return removed.contains(value.getDefiningOp()); });
  for (Value value : terminatorOf(function)->getOperands())
    needed.remove(value);
  llvm::for_each(needed, [&](Value value) { insertResult(function, value); });
  for (Operation *op : llvm::reverse(ops)) {
    for (Value result : op->getResults()) {
      const bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return !removed.contains(function.getBody().front().findAncestorOpInBlock(*user));
      });
      if (isRead)
        insertArgument(function, result, removed);
    }
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return !ops.empty() && finish(function);
}

bool bypassOps(func::FuncOp function, EditRange range) {
  bool isChanged = false;
  for (Operation *op : selected(cuttableOps(function), range))
    if (const Value operand = standIn(op)) {
      op->getResult(0).replaceAllUsesWith(operand);
      isChanged = true;
    }
  return isChanged && finish(function);
}

size_t numResults(func::FuncOp function) { return function.getNumResults(); }

bool dropResults(func::FuncOp function, EditRange range) {
  eraseResults(function, [&](size_t index, Value) { return index >= range.first && index - range.first < range.size; });
  return finish(function);
}

bool applyPatterns(func::FuncOp function, EditRange range, const FrozenRewritePatternSet &patterns) {
  const SmallVector<Operation *> ops = selected(cuttableOps(function), range);
  bool isChanged = false;
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps).enableFolding(false);
  (void)applyOpPatternsGreedily(ops, patterns, config, &isChanged);
  return isChanged && finish(function);
}

SmallVector<Operation *> nonzeroConstants(func::FuncOp function) {
  SmallVector<Operation *> constants;
  for (Operation &op : function.getBody().front())
    if (isConstant(&op)) {
      auto value = op.getAttrOfType<ElementsAttr>(kValue);
      if (const ElementsAttr zeros = zerosOf(value.getShapedType()); zeros && zeros != value)
        constants.push_back(&op);
    }
  return constants;
}

bool zeroConstants(func::FuncOp function, EditRange range) {
  const SmallVector<Operation *> constants = selected(nonzeroConstants(function), range);
  for (Operation *op : constants)
    op->setAttr(kValue, zerosOf(op->getAttrOfType<ElementsAttr>(kValue).getShapedType()));
  return !constants.empty();
}

SmallVector<Operation *> programOps(Operation *program) {
  SmallVector<Operation *> ops;
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != program && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

bool eraseProgramOps(Operation *program, EditRange range) {
  llvm::SetVector<Operation *> erased;
  SmallVector<Operation *> waiting = selected(programOps(program), range);
  while (!waiting.empty()) {
    Operation *op = waiting.pop_back_val();
    if (op == program || op->hasTrait<OpTrait::IsTerminator>())
      return false;
    op->walk([&](Operation *inner) { erased.insert(inner); });
    llvm::append_range(
        waiting, llvm::make_filter_range(op->getUsers(), [&](Operation *user) { return !erased.contains(user); }));
  }
  for (Operation *op : erased)
    op->dropAllUses();
  program->walk([&](Operation *op) { // operations in others end with them
    if (erased.contains(op))
      op->erase();
  });
  return !erased.empty();
}

} // namespace avocet::compiler
