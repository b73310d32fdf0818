//===- TosaExport.cpp - View of one operation of a network ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/kernels/Quantization.h"

#include "llvm/Support/ScopedPrinter.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {

/// The largest signed byte is half of all unsigned ones away.
constexpr int64_t kUnsignedOffset = 128;

Type exportedElement(Type element) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    const unsigned width = quantized.getStorageTypeIntegralWidth();
    const bool hasForm = width == 8 || (width == 16 && quantized.isSigned());
    return hasForm ? IntegerType::get(element.getContext(), width) : Type();
  }
  const bool isInteger = element.isSignlessInteger(1) || element.isSignlessInteger(8) ||
                         element.isSignlessInteger(16) || element.isSignlessInteger(32);
  return isInteger || element.isBF16() || element.isF16() || element.isF32() ? element : Type();
}

bool isUnsignedByte(Value value) {
  const auto quantized = dyn_cast<quant::QuantizedType>(elementOf(value));
  return quantized && !quantized.isSigned() && quantized.getStorageTypeIntegralWidth() == 8;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int64_t ExportedOperation::zeroPointOf(Value value) {
  const auto quantized = dyn_cast<quant::UniformQuantizedType>(elementOf(value));
  return quantized ? quantized.getZeroPoint() - (isUnsignedByte(value) ? kUnsignedOffset : 0) : 0;
}

Value ExportedOperation::value(Value value) {
  if (Value known = state_.values.lookup(value))
    return known;
  if (Value stored = unsignedForm(value)) {
    const RescaleForm form{builder().getI8Type(), kUnsignedOffset, 0, {}, /*isFromUnsigned=*/true};
    return state_.values[value] = rescale(stored, form);
  }
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    return state_.values[value] = import(constant);
  return refuse("operand", "element type", llvm::to_string(elementOf(value)), "those of TOSA");
}

Value ExportedOperation::import(nn::ConstantOp constant) {
  const Type element = exportedElement(elementOf(constant));
  if (!element)
    return refuse("constant", "element type", llvm::to_string(elementOf(constant)), "those of TOSA");
  if (!isUnsignedByte(constant))
    return this->constant(constant.getValue());
  std::vector<uint8_t> splat;
  auto bytes = llvm::map_to_vector(constantBytes(constant, splat),
                                   [](uint8_t byte) { return static_cast<int8_t>(byte - kUnsignedOffset); });
  return this->constant(DenseIntElementsAttr::get(RankedTensorType::get(shapeOf(constant), element), ArrayRef(bytes)));
}

Type ExportedOperation::resultElement() {
  const Type element = exportedElement(elementOf(result()));
  if (!element)
    refuse("result", "element type", llvm::to_string(elementOf(result())), "those of TOSA");
  return element;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename Make> Value ExportedOperation::shared(Attribute key, Make make) {
  Value &known = state_.constants[key];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder());
  if (state_.lastConstant)
    builder().setInsertionPointAfter(state_.lastConstant);
  else
    builder().setInsertionPointToStart(state_.body);
  known = make();
  state_.lastConstant = known.getDefiningOp();
  return known;
}

Value ExportedOperation::constant(ElementsAttr elements) {
  return shared(elements, [&] {
    return tosa::ConstOp::create(builder(), source_->getLoc(), elements.getType(), elements).getResult();
  });
}

Value ExportedOperation::number(Type element, double value, size_t rank) {
  const auto type = RankedTensorType::get(SmallVector<int64_t>(rank, 1), element);
  const Attribute one = isa<FloatType>(element)
                            ? Attribute(builder().getFloatAttr(element, value))
                            : Attribute(builder().getIntegerAttr(element, static_cast<int64_t>(value)));
  return constant(DenseElementsAttr::get(type, one));
}

Value ExportedOperation::shape(ArrayRef<int64_t> extents) {
  const auto elements = builder().getIndexTensorAttr(extents);
  return shared(elements, [&] {
    const auto type = tosa::shapeType::get(builder().getContext(), static_cast<int>(extents.size()));
    return tosa::ConstShapeOp::create(builder(), source_->getLoc(), type, elements).getResult();
  });
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static ElementsAttr reshaped(ElementsAttr elements, RankedTensorType type) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(elements).reshape(type);
}

Value ExportedOperation::reshape(Value value, ArrayRef<int64_t> extents) {
  if (!value || shapeOf(value) == extents)
    return value;
  if (auto before = value.getDefiningOp<tosa::ConstOp>())
    return constant(reshaped(before.getValues(), RankedTensorType::get(extents, elementOf(value))));
  return create<tosa::ReshapeOp>(elementOf(value), extents, value, shape(extents));
}

Value ExportedOperation::ofRank(Value value, size_t rank) {
  if (!value)
    return value;
  SmallVector<int64_t> extents(rank - shapeOf(value).size(), 1);
  llvm::append_range(extents, shapeOf(value));
  return reshape(value, extents);
}

Value ExportedOperation::slice(Value value, ArrayRef<int64_t> start, ArrayRef<int64_t> size) {
  return shapeOf(value) == size ? value
                                : create<tosa::SliceOp>(elementOf(value), size, value, shape(start), shape(size));
}

Value ExportedOperation::transpose(Value value, ArrayRef<int64_t> permutation) {
  const auto extents = llvm::map_to_vector(permutation, [&](int64_t axis) { return shapeOf(value)[axis]; });
  return create<tosa::TransposeOp>(elementOf(value), extents, value,
                                   llvm::map_to_vector(permutation, [](int64_t axis) { return int32_t(axis); }));
}

SmallVector<int64_t> ExportedOperation::broadcast(Value lhs, Value rhs) {
  return llvm::map_to_vector(llvm::zip_equal(shapeOf(lhs), shapeOf(rhs)), [](auto extents) {
    auto [a, b] = extents;
    return a == 1 ? b : a;
  });
}

Value ExportedOperation::multiply(Value lhs, Value rhs, int64_t shift) {
  return pair<tosa::MulOp>(lhs, rhs, number(builder().getI8Type(), static_cast<double>(shift)));
}

//===----------------------------------------------------------------------===//
// Rescales
//===----------------------------------------------------------------------===//

/// Zero points of unsigned numbers have their bits.
static int64_t bitsOf(int64_t zeroPoint, Type element) {
  return llvm::SignExtend64(static_cast<uint64_t>(zeroPoint), element.getIntOrFloatBitWidth());
}

Value ExportedOperation::rescale(Value value, const RescaleForm &form) {
  if (!value)
    return value;
  const Factors &factors = form.factors;
  const auto count = static_cast<int64_t>(factors.multipliers.size());
  const auto list = [&](unsigned width, ArrayRef<int32_t> numbers) {
    const Type element = builder().getIntegerType(width);
    const auto integers = llvm::map_to_vector(
        numbers, [&](int32_t number) { return Attribute(builder().getIntegerAttr(element, number)); });
    return constant(DenseElementsAttr::get(RankedTensorType::get({count}, element), integers));
  };
  const auto zero = [&](Type element, int64_t point) {
    return number(element, static_cast<double>(bitsOf(point, element)));
  };
  const auto mode = factors.roundsTwice ? tosa::RoundingMode::DOUBLE_ROUND : tosa::RoundingMode::SINGLE_ROUND;
  return create<tosa::RescaleOp>(form.element, shapeOf(value), value,
                                 list(factors.isWide ? 16 : 32, factors.multipliers), list(8, factors.shifts),
                                 zero(elementOf(value), form.from), zero(form.element, form.to), !factors.isWide, mode,
                                 count > 1, form.isFromUnsigned, form.isToUnsigned);
}

Value ExportedOperation::centred(Value value) { return rescale(this->value(value), {i32(), zeroPointOf(value)}); }

FailureOr<Factors> ExportedOperation::factorsOf(ArrayRef<firmware::Rescale> rescales, firmware::Rounding rounding,
                                                bool isWide) {
  constexpr int kLeastShift = 2;
  Factors factors{{}, {}, !isWide && rounding == firmware::Rounding::Double, isWide};
  for (const firmware::Rescale &rescale : rescales) {
    const firmware::Rescale exact = isWide ? kernels::reducedToWide(rescale) : rescale;
    const int shift = (isWide ? 15 : 31) - exact.shift;
    if (shift < kLeastShift)
      return refuse("result", "ratio of scales", "2^" + Twine(exact.shift), "less than 2^29");
    factors.multipliers.push_back(exact.multiplier);
    factors.shifts.push_back(shift);
  }
  return factors;
}

FailureOr<Factors> ExportedOperation::factorsOf(nn::NumericsAttr numerics, bool isWide) {
  return Factors{SmallVector<int32_t>(numerics.getMultipliers()), SmallVector<int32_t>(numerics.getShifts()),
                 numerics.getKind() == nn::Numerics::DoubleRound, isWide};
}

LogicalResult ExportedOperation::finishRescaled(Value value, const FailureOr<Factors> &factors,
                                                nn::Activation activation) {
  const Type element = resultElement();
  if (!value || failed(factors) || !element)
    return failure();
  return finish(clamped(rescale(value, {element, 0, zeroPointOf(result()), *factors}), activation));
}

Value ExportedOperation::clamped(Value value, nn::Activation activation) {
  if (!value || activation == nn::Activation::kNone)
    return value;
  const Type element = elementOf(value);
  if (isa<FloatType>(element))
    return like<tosa::ClampOp>(value, builder().getFloatAttr(element, activation.low),
                               builder().getFloatAttr(element, activation.high));
  if (element.isInteger(32))
    return refuse("activation", "numbers of at most 16 bits", "i32");
  const firmware::Clamp clamp = clampFor(activation, quantizationOf(result()));
  const int64_t offset = isUnsignedByte(result()) ? kUnsignedOffset : 0;
  return like<tosa::ClampOp>(value, builder().getIntegerAttr(element, clamp.min - offset),
                             builder().getIntegerAttr(element, clamp.max - offset));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult ExportedOperation::finish(Value value) {
  if (!value)
    return failure();
  state_.values[result()] = reshape(value, resultShape());
  return success();
}

LogicalResult ExportedOperation::finishUnsigned(Value value) {
  if (!value)
    return failure();
  state_.unsignedValues[result()] = value;
  return success();
}

Reported ExportedOperation::refuse(StringRef operand, const Twine &rule, const Twine &value, const Twine &limit) {
  const StringRef kind = operatorKind(source_->getLoc());
  RefusalReason reason{kind.empty() ? source_->getName().stripDialect().upper() : kind.str(), operand.str(), rule.str(),
                       value.str(), limit.str()};
  reason.advice = "TOSA cannot express it; leave this operator out, or change the model";
  emitRefusal(source_->getLoc(), reason);
  return {};
}

} // namespace avocet::compiler
