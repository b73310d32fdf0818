//===- KnownIntegers.cpp - Integers that need no device ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownIntegers.h"

#include "Constants.h"
#include "ImportedOperation.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The elements of a shape in order: calls `visit` with each position.
template <typename Visit> void forEachPosition(ArrayRef<int64_t> shape, Visit &&visit) {
  SmallVector<int64_t> position(shape.size(), 0);
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (; count > 0; --count) {
    visit(ArrayRef<int64_t>(position));
    for (size_t axis = shape.size(); axis > 0; --axis) {
      if (++position[axis - 1] < shape[axis - 1])
        break;
      position[axis - 1] = 0;
    }
  }
}

/// The element of a tensor at a position of a result to which it broadcasts.
int64_t broadcastIndex(ArrayRef<int64_t> shape, ArrayRef<int64_t> position) {
  int64_t index = 0;
  ArrayRef<int64_t> own = position.take_back(shape.size());
  for (auto [extent, at] : llvm::zip(shape, own))
    index = index * extent + (extent == 1 ? 0 : at);
  return index;
}

/// The device's arithmetic wraps.
int64_t wrapped(int64_t value, Type element) {
  return element.isInteger(64) ? value : static_cast<int32_t>(static_cast<uint32_t>(value));
}

using Function = llvm::function_ref<int64_t(int64_t, int64_t)>;

int64_t sum(int64_t x, int64_t y) { return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y)); }

int64_t product(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

Integers combine(Operation *op, const Integers &lhs, const Integers &rhs, Function function) {
  Integers result;
  Type element = elementOf(op->getResult(0));
  ArrayRef<int64_t> a = shapeOf(op->getOperand(0)), b = shapeOf(op->getOperand(1));
  forEachPosition(shapeOf(op->getResult(0)), [&](ArrayRef<int64_t> position) {
    result.push_back(wrapped(function(lhs[broadcastIndex(a, position)], rhs[broadcastIndex(b, position)]), element));
  });
  return result;
}

bool compare(nn::CompareKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case nn::CompareKind::Equal:
    return a == b;
  case nn::CompareKind::NotEqual:
    return a != b;
  case nn::CompareKind::Less:
    return a < b;
  case nn::CompareKind::LessEqual:
    return a <= b;
  case nn::CompareKind::Greater:
    return a > b;
  case nn::CompareKind::GreaterEqual:
    return a >= b;
  }
  llvm_unreachable("all kinds are listed");
}

/// Functions of two operands; none for other operations.
int64_t floorMod(int64_t x, int64_t y) {
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

int64_t floorDiv(int64_t x, int64_t y) { return x / y - (floorMod(x, y) != x % y ? 1 : 0); }

/// Nothing is known of quotients by 0, and of those by -1, which may overflow.
std::optional<Integers> quotient(Operation *op, const Integers &a, const Integers &b, Function function) {
  if (llvm::any_of(b, [](int64_t divisor) { return divisor == 0 || divisor == -1; }))
    return std::nullopt;
  return combine(op, a, b, function);
}

std::optional<Integers> pair(nn::BinaryOp op, const Integers &a, const Integers &b) {
  switch (op.getKind()) {
  case nn::BinaryKind::FloorDiv:
    return quotient(op, a, b, floorDiv);
  case nn::BinaryKind::FloorMod:
    return quotient(op, a, b, floorMod);
  case nn::BinaryKind::SquaredDifference:
    return combine(op, a, b, [](int64_t x, int64_t y) {
      const int64_t difference = sum(x, product(y, -1));
      return product(difference, difference);
    });
  default:
    return std::nullopt;
  }
}

std::optional<Integers> unary(nn::UnaryOp op, const Integers &input) {
  const bool isNegative = op.getKind() == nn::UnaryKind::Neg, isAbsolute = op.getKind() == nn::UnaryKind::Abs;
  if (!isNegative && !isAbsolute)
    return std::nullopt;
  return llvm::map_to_vector(
      input, [&](int64_t x) { return isNegative || x < 0 ? wrapped(product(x, -1), elementOf(op.getResult())) : x; });
}

Integers select(const Integers &condition, const Integers &lhs, const Integers &rhs) {
  Integers result;
  for (auto [isFirst, first, second] : llvm::zip_equal(condition, lhs, rhs))
    result.push_back(isFirst != 0 ? first : second);
  return result;
}

Integers tile(nn::TileOp op, const Integers &input) {
  Integers result;
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  forEachPosition(shapeOf(op.getOutput()), [&](ArrayRef<int64_t> position) {
    int64_t index = 0;
    for (auto [extent, at] : llvm::zip_equal(shape, position))
      index = index * extent + at % extent;
    result.push_back(input[index]);
  });
  return result;
}

std::optional<Integers> binary(Operation *op, const Integers &a, const Integers &b) {
  auto with = [&](Function function) { return combine(op, a, b, function); };
  if (isa<nn::AddOp>(op))
    return with(sum);
  if (isa<nn::SubOp>(op))
    return with([](int64_t x, int64_t y) { return sum(x, product(y, -1)); });
  if (isa<nn::MulOp>(op))
    return with(product);
  if (auto division = dyn_cast<nn::DivOp>(op))
    return quotient(op, a, b, division.getTruncates() ? [](int64_t x, int64_t y) { return x / y; } : floorDiv);
  if (auto function = dyn_cast<nn::BinaryOp>(op))
    return pair(function, a, b);
  if (isa<nn::MinimumOp>(op))
    return with([](int64_t x, int64_t y) { return std::min(x, y); });
  if (isa<nn::MaximumOp>(op))
    return with([](int64_t x, int64_t y) { return std::max(x, y); });
  if (auto comparison = dyn_cast<nn::CompareOp>(op))
    return with([&](int64_t x, int64_t y) { return compare(comparison.getKind(), x, y); });
  if (auto logical = dyn_cast<nn::LogicalOp>(op))
    return with([&](int64_t x, int64_t y) { return logical.getKind() == nn::LogicalKind::And ? x & y : x | y; });
  return std::nullopt;
}

/// The function of two numbers that a reduction applies; null for reductions of other values.
int64_t (*stepOf(nn::ReduceKind kind))(int64_t, int64_t) {
  switch (kind) {
  case nn::ReduceKind::Sum:
    return sum;
  case nn::ReduceKind::Prod:
    return product;
  case nn::ReduceKind::Max:
    return [](int64_t x, int64_t y) { return std::max(x, y); };
  case nn::ReduceKind::Min:
    return [](int64_t x, int64_t y) { return std::min(x, y); };
  default:
    return nullptr;
  }
}

/// Reductions of all elements to one, such as the number of elements of a shape.
std::optional<Integers> reduce(nn::ReduceOp op, const Integers &input) {
  auto *step = stepOf(op.getKind());
  if (!step || op.getOutput().getType().getNumElements() != 1)
    return std::nullopt;
  int64_t result = input.front();
  for (int64_t next : ArrayRef(input).drop_front())
    result = wrapped(step(result, next), elementOf(op.getOutput()));
  return Integers{result};
}

/// Elements of a vector.
std::optional<Integers> gather(nn::GatherOp op, const Integers &input, const Integers &indices) {
  if (shapeOf(op.getInput()).size() != 1)
    return std::nullopt;
  return llvm::map_to_vector(indices, [&](int64_t index) {
    return input[std::clamp<int64_t>(index, 0, static_cast<int64_t>(input.size()) - 1)];
  });
}

/// Integers in another width; those out of its range wrap, or become the nearest one.
std::optional<Integers> cast(nn::CastOp op, const Integers &input) {
  Type element = elementOf(op.getOutput());
  if (element.isInteger(1))
    return std::nullopt;
  return llvm::map_to_vector(input, [&](int64_t value) {
    bool isNearest = !op.getWraps() && element.isInteger(32);
    return wrapped(isNearest ? std::clamp<int64_t>(value, INT32_MIN, INT32_MAX) : value, element);
  });
}

Integers slice(nn::SliceOp op, const Integers &input) {
  Integers result;
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  forEachPosition(shapeOf(op.getOutput()), [&](ArrayRef<int64_t> position) {
    int64_t index = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      index = index * shape[axis] + op.getBegin()[axis] + position[axis] * op.getStrides()[axis];
    result.push_back(input[index]);
  });
  return result;
}

Integers concatenate(nn::ConcatenationOp op, ArrayRef<const Integers *> inputs) {
  Integers result;
  forEachPosition(shapeOf(op.getOutput()), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> inPart(position);
    int64_t &along = inPart[op.getAxis()];
    size_t part = 0;
    for (; along >= shapeOf(op.getInputs()[part])[op.getAxis()]; ++part)
      along -= shapeOf(op.getInputs()[part])[op.getAxis()];
    int64_t index = 0;
    for (auto [extent, at] : llvm::zip(shapeOf(op.getInputs()[part]), inPart))
      index = index * extent + at;
    result.push_back((*inputs[part])[index]);
  });
  return result;
}

ArrayRef<char> rawBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return resource.getRawHandle().getBlob()->getData();
  return {};
}

std::optional<Integers> constant(nn::ConstantOp op) {
  if (auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue()))
    return llvm::map_to_vector(dense.getValues<llvm::APInt>(), [](const llvm::APInt &value) {
      return value.getBitWidth() == 1 ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
    });
  ArrayRef<char> bytes = rawBytes(op.getValue());
  RankedTensorType type = op.getOutput().getType();
  const size_t size = std::max(8u, type.getElementTypeBitWidth()) / 8;
  if (bytes.size() != static_cast<size_t>(type.getNumElements()) * size)
    return std::nullopt;
  Integers result;
  for (; !bytes.empty(); bytes = bytes.drop_front(size))
    result.push_back(size == 1 ? bytes[0] != 0 : integersOf(bytes.take_front(size), size).front());
  return result;
}

bool hasFewIntegers(Value value) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  return llvm::any_of(ArrayRef{1u, 32u, 64u}, [&](unsigned width) { return type.getElementType().isInteger(width); }) &&
         type.getNumElements() <= KnownIntegers::kMostElements;
}

/// A fused activation is a function of real numbers, which i32 results do not have.
bool hasActivation(Operation *op) {
  auto activation = op->getAttrOfType<nn::ActivationAttr>("activation");
  return activation && activation.getValue() != nn::Activation::None;
}

} // namespace

std::optional<Integers> KnownIntegers::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !hasFewIntegers(value) || hasActivation(op))
    return std::nullopt;
  if (auto given = dyn_cast<nn::ConstantOp>(op))
    return constant(given);
  if (!isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::MinimumOp, nn::MaximumOp, nn::CompareOp, nn::LogicalOp, nn::ReshapeOp,
           nn::SliceOp, nn::ConcatenationOp, nn::ReduceOp, nn::GatherOp, nn::CastOp, nn::DivOp, nn::BinaryOp,
           nn::UnaryOp, nn::SelectOp, nn::TileOp>(op))
    return std::nullopt;
  SmallVector<const Integers *> inputs;
  for (Value input : op->getOperands())
    if (inputs.push_back(of(input)); !inputs.back())
      return std::nullopt;
  if (isa<nn::ReshapeOp>(op))
    return *inputs.front();
  if (auto part = dyn_cast<nn::SliceOp>(op))
    return slice(part, *inputs.front());
  if (auto whole = dyn_cast<nn::ConcatenationOp>(op))
    return concatenate(whole, inputs);
  if (auto reduction = dyn_cast<nn::ReduceOp>(op))
    return reduce(reduction, *inputs.front());
  if (auto elements = dyn_cast<nn::GatherOp>(op))
    return gather(elements, *inputs[0], *inputs[1]);
  if (auto conversion = dyn_cast<nn::CastOp>(op))
    return cast(conversion, *inputs.front());
  if (auto function = dyn_cast<nn::UnaryOp>(op))
    return unary(function, *inputs.front());
  if (isa<nn::SelectOp>(op))
    return select(*inputs[0], *inputs[1], *inputs[2]);
  if (auto repeated = dyn_cast<nn::TileOp>(op))
    return tile(repeated, *inputs.front());
  return binary(op, *inputs[0], *inputs[1]);
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
  auto activation = sum->getAttrOfType<nn::ActivationAttr>("activation");
  const Integers *constants = known(other);
  const int64_t count = numElements(sum->getResult(0));
  if (!constants || (activation && activation.getValue() != nn::Activation::None) ||
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

} // namespace avocet::compiler
