//===- FoldedIntegers.cpp - Operations on known integers --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"

#include "avocet/compiler/Dialect/Nn/NnShapes.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/kernels/IntegerFunctions.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr int64_t kMostBytes = 4096;

using Operands = ArrayRef<Integers>;

/// Calls `function` with a zero of the C++ type of an element; truth values are bytes.
template <typename Function> auto withInteger(Type element, Function &&function) {
  if (element.isInteger(64))
    return function(int64_t());
  if (element.isInteger(32))
    return function(int32_t());
  if (element.isInteger(16))
    return function(int16_t());
  return element.isSignlessInteger(8) ? function(int8_t()) : function(uint8_t());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Calls `visit` with the position of each element, row-major.
template <typename Visit> void forEachPosition(ShapeRef shape, Visit &&visit) {
  SmallVector<int64_t> position(shape.size(), 0);
  for (int64_t count = llvm::product_of(shape); count > 0; --count) {
    visit(ShapeRef(position));
    for (size_t axis = shape.size(); axis > 0; --axis) {
      if (++position[axis - 1] < shape[axis - 1])
        break;
      position[axis - 1] = 0;
    }
  }
}

/// Number of the element at a position. `at` gives its coordinate along each axis.
template <typename At> int64_t indexIn(ShapeRef shape, At &&at) {
  int64_t index = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    index = index * shape[axis] + at(axis);
  return index;
}

/// The element of a tensor at a position of a result to which it broadcasts.
int64_t broadcastIndex(ShapeRef shape, ShapeRef position) {
  const ShapeRef own = position.take_back(shape.size());
  return indexIn(shape, [&](size_t axis) { return shape[axis] == 1 ? 0 : own[axis]; });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// `function` of the pairs of elements, in the C++ type of the operands.
template <typename Function> Integers combined(Operation *op, Operands operands, Function function) {
  const ShapeRef a = shapeOf(op->getOperand(0)), b = shapeOf(op->getOperand(1));
  return withInteger(elementOf(op->getOperand(0)), [&](auto zero) {
    using T = decltype(zero);
    Integers result;
    forEachPosition(shapeOf(op->getResult(0)), [&](ShapeRef position) {
      result.push_back(function(static_cast<T>(operands[0][broadcastIndex(a, position)]),
                                static_cast<T>(operands[1][broadcastIndex(b, position)])));
    });
    return result;
  });
}

std::optional<Integers> binary(BinaryOp op, Operands operands) {
  switch (op.getKind()) {
  case BinaryKind::Atan2:
  case BinaryKind::Hypot:
    return std::nullopt;
  case BinaryKind::FloorDiv:
    return combined(op, operands, kernels::FloorQuotient());
  case BinaryKind::FloorMod:
    return combined(op, operands, kernels::FloorRemainder());
  case BinaryKind::SquaredDifference:
    return combined(op, operands, kernels::IntegerSquaredDifference());
  case BinaryKind::BitwiseXor:
    return combined(op, operands, kernels::BitwiseExclusiveOr());
  case BinaryKind::RightShift:
    return combined(op, operands, kernels::ClampedRightShift());
  case BinaryKind::BitwiseAnd:
    return combined(op, operands, kernels::BitwiseConjunction());
  case BinaryKind::BitwiseOr:
    return combined(op, operands, kernels::BitwiseDisjunction());
  case BinaryKind::LeftShift:
    return combined(op, operands, kernels::LeftShift());
  case BinaryKind::LogicalRightShift:
    return combined(op, operands, kernels::LogicalRightShift());
  case BinaryKind::RoundingRightShift:
    return combined(op, operands, kernels::RoundingRightShift());
  }
  llvm_unreachable("all kinds are listed");
}

Integers quotient(DivOp op, Operands operands) {
  return op.getTruncates() ? combined(op, operands, kernels::TruncatedQuotient())
                           : combined(op, operands, kernels::FloorQuotient());
}

Integers compared(CompareOp op, Operands operands) {
  switch (op.getKind()) {
  case CompareKind::Equal:
    return combined(op, operands, std::equal_to<>());
  case CompareKind::NotEqual:
    return combined(op, operands, std::not_equal_to<>());
  case CompareKind::Less:
    return combined(op, operands, std::less<>());
  case CompareKind::LessEqual:
    return combined(op, operands, std::less_equal<>());
  case CompareKind::Greater:
    return combined(op, operands, std::greater<>());
  case CompareKind::GreaterEqual:
    return combined(op, operands, std::greater_equal<>());
  }
  llvm_unreachable("all kinds are listed");
}

Integers logical(LogicalOp op, Operands operands) {
  return op.getKind() == LogicalKind::And ? combined(op, operands, std::logical_and<>())
                                          : combined(op, operands, std::logical_or<>());
}

/// Integers of a type, from numbers whose low bits count.
Integers lowBits(Type element, Integers numbers) {
  withInteger(element, [&](auto zero) {
    for (int64_t &number : numbers)
      number = static_cast<decltype(zero)>(number);
  });
  return numbers;
}

Integers leadingZeros(Type element, const Integers &input) {
  return withInteger(element, [&](auto zero) {
    return llvm::map_to_vector(input, [&](int64_t number) {
      using T = decltype(zero);
      return kernels::leadingZeros(kernels::Unsigned<T>(number), 8 * sizeof(T));
    });
  });
}

std::optional<Integers> unary(UnaryOp op, const Integers &input) {
  const auto with = [&](int64_t (*function)(int64_t)) {
    return lowBits(elementOf(op.getOutput()), llvm::map_to_vector(input, function));
  };
  switch (op.getKind()) {
  case UnaryKind::Abs:
    return with(kernels::integerAbsolute);
  case UnaryKind::Neg:
    return with(kernels::integerNegative);
  case UnaryKind::Sign:
    return with(kernels::integerSign);
  case UnaryKind::Square:
    return with(kernels::integerSquare);
  case UnaryKind::LeadingZeros:
    return leadingZeros(elementOf(op.getOutput()), input);
  case UnaryKind::LogicalNot:
    return with([](int64_t truth) -> int64_t { return truth == 0; });
  default:
    return std::nullopt;
  }
}

Integers cast(CastOp op, const Integers &input) {
  const Type element = elementOf(op.getOutput());
  if (element.isInteger(1))
    return llvm::map_to_vector(input, [](int64_t number) -> int64_t { return number != 0; });
  if (op.getWraps())
    return lowBits(element, input);
  return withInteger(element, [&](auto zero) {
    return llvm::map_to_vector(
        input, [](int64_t number) -> int64_t { return kernels::nearestInteger<decltype(zero)>(number); });
  });
}

Integers select(Operands operands) {
  Integers result;
  for (auto [condition, first, second] : llvm::zip_equal(operands[0], operands[1], operands[2]))
    result.push_back(condition != 0 ? first : second);
  return result;
}

/// Joins each element of the input to that of the result to which the reduced axes lead.
template <typename Join> Integers reduced(ReduceOp op, const Integers &input, Join &&join) {
  const Shape kept = keptShape(shapeOf(op.getInput()), op.getAxes());
  SmallVector<std::optional<int64_t>> results(llvm::product_of(kept));
  auto element = input.begin();
  forEachPosition(shapeOf(op.getInput()), [&](ShapeRef position) {
    std::optional<int64_t> &result = results[broadcastIndex(kept, position)];
    result = result ? join(*result, *element) : *element;
    ++element;
  });
  return lowBits(elementOf(op.getOutput()), llvm::map_to_vector(results, [](auto result) { return *result; }));
}

Integers reduce(ReduceOp op, const Integers &input) {
  switch (op.getKind()) {
  case ReduceKind::Sum:
    return reduced(op, input, kernels::IntegerSum());
  case ReduceKind::Prod:
    return reduced(op, input, kernels::IntegerProduct());
  case ReduceKind::Max:
  case ReduceKind::Any:
    return reduced(op, input, [](int64_t a, int64_t b) { return std::max(a, b); });
  case ReduceKind::Min:
  case ReduceKind::All:
    return reduced(op, input, [](int64_t a, int64_t b) { return std::min(a, b); });
  }
  llvm_unreachable("all kinds are listed");
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// The element of the input at the coordinates that `at` gives for each position of the result, along each axis.
template <typename At> Integers moved(Value input, Value output, const Integers &elements, At &&at) {
  Integers result;
  forEachPosition(shapeOf(output), [&](ShapeRef position) {
    result.push_back(elements[indexIn(shapeOf(input), [&](size_t axis) { return at(position, axis); })]);
  });
  return result;
}

Integers transpose(TransposeOp op, const Integers &input) {
  SmallVector<size_t> sources(op.getPermutation().size());
  for (auto [axis, source] : llvm::enumerate(op.getPermutation()))
    sources[source] = axis;
  return moved(op.getInput(), op.getOutput(), input,
               [&](ShapeRef position, size_t axis) { return position[sources[axis]]; });
}

Integers slice(SliceOp op, const Integers &input) {
  return moved(op.getInput(), op.getOutput(), input, [&](ShapeRef position, size_t axis) {
    return op.getBegin()[axis] + position[axis] * op.getStrides()[axis];
  });
}

Integers tile(TileOp op, const Integers &input) {
  const ShapeRef shape = shapeOf(op.getInput());
  return moved(op.getInput(), op.getOutput(), input,
               [&](ShapeRef position, size_t axis) { return position[axis] % shape[axis]; });
}

Integers pad(PadOp op, const Integers &input) {
  const ShapeRef shape = shapeOf(op.getInput());
  const auto value = op.getValue() ? static_cast<int64_t>(op.getValue()->convertToDouble()) : 0;
  Integers result;
  forEachPosition(shapeOf(op.getOutput()), [&](ShapeRef position) {
    const auto at = [&](size_t axis) { return position[axis] - op.getLow()[axis]; };
    const bool isInside =
        llvm::all_of(llvm::seq(shape.size()), [&](size_t axis) { return at(axis) >= 0 && at(axis) < shape[axis]; });
    result.push_back(isInside ? input[indexIn(shape, at)] : value);
  });
  return result;
}

Integers concatenate(ConcatenationOp op, Operands inputs) {
  Integers result;
  forEachPosition(shapeOf(op.getOutput()), [&](ShapeRef position) {
    SmallVector<int64_t> inPart(position);
    int64_t &along = inPart[op.getAxis()];
    size_t part = 0;
    for (; along >= shapeOf(op.getInputs()[part])[op.getAxis()]; ++part)
      along -= shapeOf(op.getInputs()[part])[op.getAxis()];
    result.push_back(inputs[part][indexIn(shapeOf(op.getInputs()[part]), [&](size_t axis) { return inPart[axis]; })]);
  });
  return result;
}

/// A run reports indices out of range, so these are left to it.
std::optional<Integers> gather(GatherOp op, Operands operands) {
  const ShapeRef shape = shapeOf(op.getInput()), indices = shapeOf(op.getIndices());
  const size_t axis = op.getAxis();
  if (llvm::any_of(operands[1], [&](int64_t index) { return index < 0 || index >= shape[axis]; }))
    return std::nullopt;
  return moved(op.getInput(), op.getOutput(), operands[0], [&](ShapeRef position, size_t own) {
    if (own != axis)
      return position[own < axis ? own : own + indices.size() - 1];
    const ShapeRef inIndices = position.slice(axis, indices.size());
    return operands[1][indexIn(indices, [&](size_t each) { return inIndices[each]; })];
  });
}

/// The number of the slice of a tensor at each row of coordinates; -1 for one outside.
Integers slicesAt(ShapeRef shape, const Integers &coordinates, int64_t width) {
  Integers slices;
  for (size_t first = 0; first < coordinates.size(); first += width) {
    const auto row = ArrayRef<int64_t>(coordinates).slice(first, width);
    const bool isInside = llvm::all_of(llvm::zip(row, shape), [](auto pair) {
      return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair);
    });
    slices.push_back(isInside ? indexIn(shape.take_front(width), [&](size_t axis) { return row[axis]; }) : -1);
  }
  return slices;
}

std::optional<Integers> gatherSlices(GatherNdOp op, Operands operands) {
  const ShapeRef shape = shapeOf(op.getInput());
  const int64_t width = shapeOf(op.getIndices()).back(), size = llvm::product_of(shape.drop_front(width), int64_t(1));
  Integers result;
  for (int64_t slice : slicesAt(shape, operands[1], width)) {
    if (slice < 0)
      return std::nullopt;
    result.append(operands[0].begin() + slice * size, operands[0].begin() + (slice + 1) * size);
  }
  return result;
}

int64_t scattered(ScatterKind kind, int64_t old, int64_t update) {
  switch (kind) {
  case ScatterKind::Set:
    return update;
  case ScatterKind::Sum:
    return kernels::IntegerSum()(old, update);
  case ScatterKind::Product:
    return kernels::IntegerProduct()(old, update);
  case ScatterKind::Max:
    return std::max(old, update);
  case ScatterKind::Min:
    return std::min(old, update);
  }
  llvm_unreachable("all kinds are listed");
}

std::optional<Integers> scatterSlices(ScatterNdOp op, Operands operands) {
  const ShapeRef shape = shapeOf(op.getTable());
  const int64_t width = shapeOf(op.getIndices()).back(), size = llvm::product_of(shape.drop_front(width), int64_t(1));
  Integers result = operands[0];
  auto update = operands[2].begin();
  for (int64_t slice : slicesAt(shape, operands[1], width)) {
    if (slice < 0)
      return std::nullopt;
    for (int64_t &element : llvm::MutableArrayRef(result).slice(slice * size, size))
      element = scattered(op.getKind(), element, *update++);
  }
  return lowBits(elementOf(op.getOutput()), std::move(result));
}

} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool hasFewIntegers(RankedTensorType type) {
  const Type element = type.getElementType();
  return isa<IntegerType>(element) && type.getNumElements() * bytesOf(element) <= kMostBytes;
}

static Integers integersOf(ArrayRef<char> bytes, Type element) {
  return withInteger(element, [&](auto zero) {
    Integers result;
    for (; !bytes.empty(); bytes = bytes.drop_front(sizeof(zero))) {
      std::memcpy(&zero, bytes.data(), sizeof(zero));
      result.push_back(element.isInteger(1) ? zero != 0 : zero);
    }
    return result;
  });
}

std::optional<Integers> integersOf(Attribute constant, RankedTensorType type) {
  if (!constant || !hasFewIntegers(type))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant))
    return llvm::map_to_vector(dense.getValues<llvm::APInt>(), [&](const llvm::APInt &value) {
      const bool isUnsigned = type.getElementType().isInteger(1) || type.getElementType().isUnsignedInteger();
      return isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
    });
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  const AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  const auto bytes = static_cast<size_t>(type.getNumElements() * bytesOf(type.getElementType()));
  if (!blob || blob->getData().size() != bytes)
    return std::nullopt;
  return integersOf(blob->getData(), type.getElementType());
}

ElementsAttr elementsOf(RankedTensorType type, ArrayRef<int64_t> integers) {
  std::vector<char> bytes;
  withInteger(type.getElementType(), [&](auto zero) {
    for (int64_t integer : integers) {
      zero = static_cast<decltype(zero)>(integer);
      bytes.insert(bytes.end(), reinterpret_cast<const char *>(&zero), reinterpret_cast<const char *>(&zero + 1));
    }
  });
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  // Dense truth values are packed, and the device has one byte for each.
  return DenseResourceElementsAttr::get(type, "folded",
                                        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/16));
}

std::optional<Integers> foldedIntegers(Operation *op, ArrayRef<Integers> operands) {
  if (activationOf(op) != Activation::kNone)
    return std::nullopt;
  using Answer = std::optional<Integers>;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](AddOp) { return combined(op, operands, kernels::IntegerSum()); })
      .Case([&](SubOp) { return combined(op, operands, kernels::IntegerDifference()); })
      .Case([&](MulOp) { return combined(op, operands, kernels::IntegerProduct()); })
      .Case([&](PowOp) { return combined(op, operands, kernels::IntegerPower()); })
      .Case([&](MinimumOp) { return combined(op, operands, [](auto a, auto b) { return std::min(a, b); }); })
      .Case([&](MaximumOp) { return combined(op, operands, [](auto a, auto b) { return std::max(a, b); }); })
      .Case([&](DivOp division) { return quotient(division, operands); })
      .Case([&](BinaryOp function) { return binary(function, operands); })
      .Case([&](CompareOp relation) { return compared(relation, operands); })
      .Case([&](LogicalOp function) { return logical(function, operands); })
      .Case([&](UnaryOp function) { return unary(function, operands[0]); })
      .Case([&](CastOp conversion) { return cast(conversion, operands[0]); })
      .Case([&](SelectOp) { return select(operands); })
      .Case([&](ReduceOp reduction) { return reduce(reduction, operands[0]); })
      .Case([&](ReshapeOp) { return operands[0]; })
      .Case([&](TransposeOp move) { return transpose(move, operands[0]); })
      .Case([&](SliceOp part) { return slice(part, operands[0]); })
      .Case([&](TileOp repeated) { return tile(repeated, operands[0]); })
      .Case([&](PadOp padded) { return pad(padded, operands[0]); })
      .Case([&](ConcatenationOp whole) { return concatenate(whole, operands); })
      .Case([&](GatherOp rows) { return gather(rows, operands); })
      .Case([&](GatherNdOp slices) { return gatherSlices(slices, operands); })
      .Case([&](ScatterNdOp slices) { return scatterSlices(slices, operands); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace avocet::compiler::nn
