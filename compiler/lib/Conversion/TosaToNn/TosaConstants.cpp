//===- TosaConstants.cpp - Constants and shapes of TOSA ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaConstants.h"

#include "Import/Common/Constants.h"

#include "avocet/compiler/Dialect/Nn/NnRank.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler {

ElementsAttr elementsOf(TosaOperation &op, ElementsAttr elements) {
  const Type from = elements.getElementType();
  if (Type same = tosaElement(from); same == from)
    return isa<DenseElementsAttr, DenseResourceElementsAttr>(elements) ? elements : ElementsAttr();
  auto dense = dyn_cast<DenseIntElementsAttr>(elements);
  if (!dense || !(from.isInteger(4) || from.isInteger(48)))
    return {};
  const size_t width = from.isInteger(4) ? 1 : 8;
  const auto type = RankedTensorType::get(elements.getShapedType().getShape(),
                                          IntegerType::get(from.getContext(), static_cast<unsigned>(8 * width)));
  if (failed(checkComputedBytes(op, "constant", type)))
    return {};
  return computedElements(type, "widened", [&](llvm::MutableArrayRef<char> bytes) {
    for (auto [index, element] : llvm::enumerate(dense.getValues<APInt>())) {
      const int64_t number = element.getSExtValue();
      std::memcpy(bytes.data() + index * width, &number, width);
    }
  });
}

namespace {

using Integers = SmallVector<int64_t>;

/// Shapes have non-negative extents; other results are refused, as divisors of 0 are.
std::optional<int64_t> combined(Operation *op, int64_t a, int64_t b) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](tosa::AddShapeOp) { return a + b; })
      .Case([&](tosa::SubShapeOp) { return a - b; })
      .Case([&](tosa::MulShapeOp) { return a * b; })
      .Case([&](tosa::MaxShapeOp) { return std::max(a, b); })
      .Case([&](tosa::MinShapeOp) { return std::min(a, b); })
      .Case([&](tosa::ModShapeOp) { return b > 0 ? std::optional(a % b) : std::nullopt; })
      .Case([&](tosa::DivFloorShapeOp) { return b > 0 ? std::optional(a / b) : std::nullopt; })
      .Case([&](tosa::DivCeilShapeOp) { return b > 0 ? std::optional(a / b + (a % b != 0)) : std::nullopt; })
      .Default(std::nullopt);
}

std::optional<int64_t> function(Operation *op, int64_t a) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](tosa::Exp2ShapeOp) { return a < 31 ? std::optional(int64_t(1) << a) : std::nullopt; })
      .Case([&](tosa::Log2FloorShapeOp) { return a > 0 ? std::optional<int64_t>(llvm::Log2_64(a)) : std::nullopt; })
      .Case([&](tosa::Log2CeilShapeOp) { return a > 0 ? std::optional<int64_t>(llvm::Log2_64_Ceil(a)) : std::nullopt; })
      .Default(std::nullopt);
}

/// Extents beyond this one are in no tensor of the dialect, and sums and products of those below do not overflow.
constexpr int64_t kMostExtent = INT32_MAX;

bool isExtent(int64_t number) { return number >= 0 && number <= kMostExtent; }

std::optional<Integers> elementwise(Operation *op, ArrayRef<Integers> operands) {
  Integers result;
  for (const Integers &operand : operands)
    if (!llvm::all_of(operand, isExtent))
      return std::nullopt;
  for (size_t axis = 0; axis < operands.front().size(); ++axis) {
    const int64_t a = operands[0][axis];
    const std::optional<int64_t> element = operands.size() == 1 ? function(op, a) : combined(op, a, operands[1][axis]);
    if (!element || !isExtent(*element))
      return std::nullopt;
    result.push_back(*element);
  }
  return result;
}

/// Elements of a constant. A few bytes of text describe any number of equal ones.
std::optional<Integers> elementsOfConstant(Value value) {
  constexpr int64_t kMostElements = 1 << 20;
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || elements.getNumElements() > kMostElements)
    return std::nullopt;
  Integers integers;
  for (const APInt &element : elements.getValues<APInt>())
    integers.push_back(element.getSExtValue());
  return integers;
}

std::optional<Integers> extentOf(tosa::DimOp dim) {
  const auto type = cast<ShapedType>(dim.getInput1().getType());
  const auto axis = static_cast<unsigned>(dim.getAxis());
  return type.hasStaticShape() && axis < type.getRank() ? std::optional(Integers{type.getDimSize(axis)}) : std::nullopt;
}

std::optional<Integers> sliceOf(ArrayRef<Integers> operands) {
  const auto isOne = [](const Integers &each) { return each.size() == 1 && each.front() >= 0; };
  if (!isOne(operands[1]) || !isOne(operands[2]))
    return std::nullopt;
  const auto start = static_cast<size_t>(operands[1].front()), size = static_cast<size_t>(operands[2].front());
  const size_t count = operands[0].size();
  return start <= count && size <= count - start ? std::optional(Integers(ArrayRef(operands[0]).slice(start, size)))
                                                 : std::nullopt;
}

/// A shape that follows from other shapes and static extents.
std::optional<Integers> shapeOf(const TosaImport &import, Operation *op) {
  if (auto dim = dyn_cast<tosa::DimOp>(op))
    return extentOf(dim);
  SmallVector<Integers> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Integers> known = knownIntegers(import, operand);
    if (!known)
      return std::nullopt;
    operands.push_back(std::move(*known));
  }
  if (isa<tosa::ConcatShapeOp>(op)) {
    constexpr auto kMostFigures = 2 * nn::kMaxTensorRank; // those of a padding
    Integers joined;
    for (const Integers &part : operands)
      joined.append(part);
    return static_cast<int64_t>(joined.size()) <= kMostFigures ? std::optional(std::move(joined)) : std::nullopt;
  }
  if (isa<tosa::SliceShapeOp>(op))
    return sliceOf(operands);
  const bool areAligned =
      llvm::all_of(operands, [&](const Integers &each) { return each.size() == operands.front().size(); });
  return operands.empty() || operands.size() > 2 || !areAligned ? std::nullopt : elementwise(op, operands);
}

} // namespace

void noteShape(TosaImport &import, Operation *op) {
  if (std::optional<Integers> shape = shapeOf(import, op))
    import.shapes[op->getResult(0)] = std::move(*shape);
}

std::optional<SmallVector<int64_t>> knownIntegers(const TosaImport &import, Value value) {
  if (!isa<tosa::shapeType>(value.getType()))
    return elementsOfConstant(value);
  const auto shape = import.shapes.find(value);
  return shape == import.shapes.end() ? elementsOfConstant(value) : std::optional(shape->second);
}

} // namespace avocet::compiler
