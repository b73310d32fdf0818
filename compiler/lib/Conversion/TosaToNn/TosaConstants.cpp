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

/// Extents beyond this one are in no tensor of the dialect, and sums and products of those below do not overflow.
constexpr int64_t kMostExtent = INT32_MAX;

bool isExtent(int64_t number) { return number >= 0 && number <= kMostExtent; }

/// A function of extents, of which the second is 0 for functions of one. A negative result is none: it is refused.
constexpr std::pair<StringLiteral, int64_t (*)(int64_t a, int64_t b)> kShapeFunctions[] = {
    {"add_shape", [](int64_t a, int64_t b) { return a + b; }},
    {"div_ceil_shape", [](int64_t a, int64_t b) { return b > 0 ? a / b + (a % b != 0) : -1; }},
    {"div_floor_shape", [](int64_t a, int64_t b) { return b > 0 ? a / b : -1; }},
    {"exp2_shape", [](int64_t a, int64_t) { return a < 31 ? int64_t(1) << a : -1; }},
    {"log2_ceil_shape", [](int64_t a, int64_t) { return a > 0 ? int64_t(llvm::Log2_64_Ceil(a)) : -1; }},
    {"log2_floor_shape", [](int64_t a, int64_t) { return a > 0 ? int64_t(llvm::Log2_64(a)) : -1; }},
    {"max_shape", [](int64_t a, int64_t b) { return std::max(a, b); }},
    {"min_shape", [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"mod_shape", [](int64_t a, int64_t b) { return b > 0 ? a % b : -1; }},
    {"mul_shape", [](int64_t a, int64_t b) { return a * b; }},
    {"sub_shape", [](int64_t a, int64_t b) { return a - b; }},
};

std::optional<Integers> elementwise(Operation *op, ArrayRef<Integers> operands) {
  const auto *row =
      llvm::find_if(kShapeFunctions, [&](const auto &each) { return each.first == op->getName().stripDialect(); });
  const auto fits = [&](const Integers &each) {
    return each.size() == operands[0].size() && llvm::all_of(each, isExtent);
  };
  if (row == std::end(kShapeFunctions) || !llvm::all_of(operands, fits))
    return std::nullopt;
  Integers result;
  for (size_t axis = 0; axis < operands[0].size(); ++axis)
    result.push_back(row->second(operands[0][axis], operands.size() > 1 ? operands[1][axis] : 0));
  return llvm::all_of(result, isExtent) ? std::optional(result) : std::nullopt;
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
  if (auto dim = dyn_cast<tosa::DimOp>(op)) {
    const auto type = dyn_cast<RankedTensorType>(dim.getInput1().getType());
    const bool isKnown = hasFixedShape(type) && dim.getAxis() < static_cast<uint64_t>(type.getRank());
    return isKnown ? std::optional(Integers{type.getDimSize(dim.getAxis())}) : std::nullopt;
  }
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
  return elementwise(op, operands);
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
