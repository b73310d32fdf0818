//===- TosaSteps.cpp - Creates operations of TOSA ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaSteps.h"

using namespace mlir;

namespace avocet::compiler {

template <typename Make> Value TosaSteps::shared(Attribute key, Make make) {
  Value &known = pool_.constants[key];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder_);
  if (pool_.last)
    builder_.setInsertionPointAfter(pool_.last);
  else
    builder_.setInsertionPointToStart(pool_.block);
  known = make();
  pool_.last = known.getDefiningOp();
  return known;
}

Value TosaSteps::constant(ElementsAttr elements) {
  return shared(elements,
                [&] { return tosa::ConstOp::create(builder_, location_, elements.getType(), elements).getResult(); });
}

Value TosaSteps::constant(ArrayRef<int64_t> shape, unsigned width, ArrayRef<int32_t> numbers) {
  const Type element = builder_.getIntegerType(width);
  const auto integers =
      llvm::map_to_vector(numbers, [&](int32_t number) -> Attribute { return IntegerAttr::get(element, number); });
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), integers));
}

Value TosaSteps::number(Type element, double value, size_t rank) {
  if (!element)
    return {};
  const auto type = RankedTensorType::get(SmallVector<int64_t>(rank, 1), element);
  const Attribute one = isa<FloatType>(element)
                            ? Attribute(builder_.getFloatAttr(element, value))
                            : Attribute(builder_.getIntegerAttr(element, static_cast<int64_t>(value)));
  return constant(DenseElementsAttr::get(type, one));
}

Value TosaSteps::shape(ArrayRef<int64_t> extents) {
  const auto elements = builder_.getIndexTensorAttr(extents);
  return shared(elements, [&] {
    const auto type = tosa::shapeType::get(builder_.getContext(), static_cast<int>(extents.size()));
    return tosa::ConstShapeOp::create(builder_, location_, type, elements).getResult();
  });
}

static ElementsAttr reshaped(ElementsAttr elements, RankedTensorType type) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(elements).reshape(type);
}

Value TosaSteps::reshape(Value value, ArrayRef<int64_t> extents) {
  if (!value || shapeOf(value) == extents)
    return value;
  if (auto before = value.getDefiningOp<tosa::ConstOp>())
    return constant(reshaped(before.getValues(), RankedTensorType::get(extents, elementOf(value))));
  return create<tosa::ReshapeOp>(elementOf(value), extents, value, shape(extents));
}

Value TosaSteps::slice(Value value, ArrayRef<int64_t> start, ArrayRef<int64_t> size) {
  return !value || shapeOf(value) == size
             ? value
             : create<tosa::SliceOp>(elementOf(value), size, value, shape(start), shape(size));
}

Value TosaSteps::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (!value)
    return value;
  const auto extents = llvm::map_to_vector(permutation, [&](int64_t axis) { return shapeOf(value)[axis]; });
  return create<tosa::TransposeOp>(elementOf(value), extents, value, llvm::to_vector_of<int32_t>(permutation));
}

SmallVector<int64_t> TosaSteps::broadcast(Value lhs, Value rhs) {
  return llvm::map_to_vector(llvm::zip_equal(shapeOf(lhs), shapeOf(rhs)), [](auto extents) {
    auto [a, b] = extents;
    return a == 1 ? b : a;
  });
}

Value TosaSteps::rescale(Value value, const RescaleForm &form) {
  const Factors &factors = form.factors;
  if (!value || !form.element || factors.multipliers.empty())
    return {};
  const auto count = static_cast<int64_t>(factors.multipliers.size());
  // Zero points of unsigned numbers have their bits.
  const auto zero = [&](Type element, int64_t point) {
    const int64_t bits = llvm::SignExtend64(static_cast<uint64_t>(point), element.getIntOrFloatBitWidth());
    return number(element, static_cast<double>(bits));
  };
  const auto mode = factors.roundsTwice ? tosa::RoundingMode::DOUBLE_ROUND : tosa::RoundingMode::SINGLE_ROUND;
  return create<tosa::RescaleOp>(
      form.element, shapeOf(value), value, constant({count}, factors.isWide ? 16 : 32, factors.multipliers),
      constant({count}, 8, factors.shifts), zero(elementOf(value), form.from), zero(form.element, form.to),
      !factors.isWide, mode, count > 1, form.isFromUnsigned, form.isToUnsigned);
}

} // namespace avocet::compiler
