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
  return tosaElement(element) == element && !element.isUnsignedInteger() ? element : Type();
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
    const RescaleForm form{i8(), kUnsignedOffset, 0, {}, /*isFromUnsigned=*/true};
    return state_.values[value] = rescale(stored, form);
  }
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    return state_.values[value] = import(constant);
  return refuse("operand", "element type", llvm::to_string(elementOf(value)), "those of TOSA");
}

Value ExportedOperation::import(nn::ConstantOp constant) {
  const Type element = checkedElement("constant", constant);
  if (!element)
    return {};
  if (!isUnsignedByte(constant))
    return this->constant(constant.getValue());
  std::vector<uint8_t> splat;
  auto bytes = llvm::map_to_vector(constantBytes(constant, splat),
                                   [](uint8_t byte) { return static_cast<int8_t>(byte - kUnsignedOffset); });
  return this->constant(DenseIntElementsAttr::get(RankedTensorType::get(shapeOf(constant), element), ArrayRef(bytes)));
}

Type ExportedOperation::checkedElement(StringRef operand, Value value) {
  const Type element = exportedElement(elementOf(value));
  if (!element)
    refuse(operand, "element type", llvm::to_string(elementOf(value)), "those of TOSA");
  return element;
}

//===----------------------------------------------------------------------===//
// Rescales
//===----------------------------------------------------------------------===//

Value ExportedOperation::ofRank(Value value, size_t rank) {
  if (!value)
    return value;
  SmallVector<int64_t> extents(rank - shapeOf(value).size(), 1);
  llvm::append_range(extents, shapeOf(value));
  return reshape(value, extents);
}

Value ExportedOperation::centered(Value value) { return rescale(this->value(value), {i32(), zeroPointOf(value)}); }

Factors ExportedOperation::factorsOf(ArrayRef<firmware::Rescale> rescales, firmware::Rounding rounding, bool isWide) {
  constexpr int kLeastShift = 2;
  Factors factors{{}, {}, !isWide && rounding == firmware::Rounding::Double, isWide};
  for (const firmware::Rescale &rescale : rescales) {
    const firmware::Rescale exact = isWide ? kernels::reducedToWide(rescale) : rescale;
    const int shift = (isWide ? 15 : 31) - exact.shift;
    if (shift < kLeastShift)
      return refuse("result", "ratio of scales", "2^" + Twine(exact.shift), "less than 2^29"), Factors{{}, {}};
    factors.multipliers.push_back(exact.multiplier);
    factors.shifts.push_back(shift);
  }
  return factors;
}

Factors ExportedOperation::factorsOf(nn::NumericsAttr numerics, bool isWide) {
  return Factors{SmallVector<int32_t>(numerics.getMultipliers()), SmallVector<int32_t>(numerics.getShifts()),
                 numerics.getKind() == nn::Numerics::DoubleRound, isWide};
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
