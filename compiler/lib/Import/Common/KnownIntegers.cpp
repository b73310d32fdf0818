//===- KnownIntegers.cpp - Integers that need no device ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownIntegers.h"

#include "ImportTypes.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"

using namespace mlir;

namespace avocet::compiler {
static bool isEmpty(Value value) { return llvm::is_contained(shapeOf(value), 0); }

std::optional<Integers> KnownIntegers::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (isEmpty(value))
    return Integers();
  if (!op || op->getNumResults() != 1 || storageOfImported(elementOf(value)) ||
      llvm::any_of(op->getOperands(), [](Value each) { return storageOfImported(elementOf(each)) || isEmpty(each); }) ||
      !nn::hasFewIntegers(tensorOf(value)))
    return std::nullopt;
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    return nn::integersOf(constant.getValue(), tensorOf(value));
  SmallVector<Integers> operands;
  for (Value operand : op->getOperands()) {
    const Integers *integers = of(operand);
    if (!integers)
      return std::nullopt;
    operands.push_back(*integers);
  }
  return nn::foldedIntegers(op, operands);
}

const Integers *KnownIntegers::of(Value value) {
  if (stopped_)
    return nullptr;
  if (auto found = known_.find(value); found != known_.end())
    return found->second.get();
  ++depth_;
  std::optional<Integers> elements = depth_ > kMostDepth ? std::nullopt : compute(value);
  --depth_;
  auto kept = elements ? std::make_unique<Integers>(std::move(*elements)) : nullptr;
  return known_.try_emplace(value, std::move(kept)).first->second.get();
}

namespace {

using Known = llvm::function_ref<const Integers *(Value)>;

int64_t numElements(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

bool isLine(Value value) { return shapeOf(value).size() == 1; }

/// Moves to the part of a concatenation that has the element.
bool followConcatenation(nn::ConcatenationOp op, OffsetInteger &integer) {
  if (!isLine(op.getOutput()))
    return false;
  for (Value part : op.getInputs()) {
    if (integer.index < numElements(part)) {
      integer.base = part;
      return true;
    }
    integer.index -= numElements(part);
  }
  return false;
}

/// Moves to `addend` of a sum with the other operand, if that is known. Both broadcast as one element or not at all.
bool followSum(Known known, Operation *sum, Value addend, Value other, bool isAdded, OffsetInteger &integer) {
  const Integers *constants = known(other);
  const int64_t count = numElements(sum->getResult(0));
  if (!constants || nn::activationOf(sum) != nn::Activation::kNone ||
      (numElements(addend) != 1 && numElements(addend) != count) ||
      (constants->size() != 1 && static_cast<int64_t>(constants->size()) != count))
    return false;
  // Wraps around, as the sum does.
  const auto constant = static_cast<uint64_t>((*constants)[constants->size() == 1 ? 0 : integer.index]);
  integer.offset = static_cast<int64_t>(static_cast<uint64_t>(integer.offset) + (isAdded ? constant : 0 - constant));
  integer.base = addend;
  integer.index = numElements(addend) == 1 ? 0 : integer.index;
  return true;
}

bool isWide(Value value) { return elementOf(value).isInteger(32) || elementOf(value).isInteger(64); }

/// Moves to an operand of the operation that computes the base; false if no operand has the element.
bool follow(Known known, OffsetInteger &integer) {
  Operation *op = integer.base.getDefiningOp();
  if (auto whole = dyn_cast_or_null<nn::ConcatenationOp>(op))
    return followConcatenation(whole, integer);
  if (auto sum = dyn_cast_or_null<nn::AddOp>(op))
    return followSum(known, sum, sum.getLhs(), sum.getRhs(), true, integer) ||
           followSum(known, sum, sum.getRhs(), sum.getLhs(), true, integer);
  if (auto difference = dyn_cast_or_null<nn::SubOp>(op))
    return followSum(known, difference, difference.getLhs(), difference.getRhs(), false, integer);
  auto part = dyn_cast_or_null<nn::SliceOp>(op);
  if (part && isLine(part.getInput()))
    integer.index = part.getBegin()[0] + integer.index * part.getStrides()[0];
  else if (!isa_and_nonnull<nn::ReshapeOp>(op) && !(isa_and_nonnull<nn::CastOp>(op) && isWide(op->getOperand(0))))
    return false;
  integer.base = op->getOperand(0);
  return true;
}

} // namespace

OffsetInteger offsetInteger(Known known, Value value, int64_t index) {
  OffsetInteger integer{value, index, 0};
  do {
    if (const Integers *elements = known(integer.base))
      return {{}, 0, static_cast<int64_t>(uint64_t((*elements)[integer.index]) + uint64_t(integer.offset))};
  } while (follow(known, integer));
  return integer;
}

SmallVector<BlockArgument> argumentsOf(Value value) {
  llvm::SmallPtrSet<Value, 16> seen;
  SmallVector<BlockArgument> arguments;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next))
      arguments.push_back(argument);
    else if (Operation *op = next.getDefiningOp())
      llvm::append_range(pending, op->getOperands());
  }
  return arguments;
}

} // namespace avocet::compiler
