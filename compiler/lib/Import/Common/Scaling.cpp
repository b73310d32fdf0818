//===- Scaling.cpp - Numbers with scales of parts ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scaling.h"

#include "Constants.h"
#include "Dialect/Nn/Transforms/Recognize/RealConstants.h"
#include "Elements.h"
#include "Formula.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"
#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/compiler/Support/Remarks.h"

using namespace mlir;

namespace avocet::compiler {

static nn::ConstantOp constantOf(Value value) {
  return value ? value.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
}

/// The constant scale of the whole tensor if the dialect has a type with it.
std::optional<Scale> Scaling::scaleOfType(Type integer) const {
  nn::ConstantOp constant = constantOf(scale), zero = constantOf(zeroPoint);
  const std::optional<std::vector<float>> scales = constant ? nn::floatsOf(constant) : std::nullopt;
  if (!isPerTensor() || !scales || !isScale(scales->front()) || (zeroPoint && !zero))
    return std::nullopt;
  Scale known{scales->front(), 0};
  if (zero) {
    const auto integers = nn::integersOf(zero.getValue(), tensorOf(zero));
    if (!integers || integers->size() != 1)
      return std::nullopt;
    known.zeroPoint = integers->front();
  }
  const bool isShort = integer.isSignlessInteger(16);
  return integer.getIntOrFloatBitWidth() == 8 || isShort ? std::optional(known) : std::nullopt;
}

/// The zero points of an axis with scales; nullopt: they are computed.
std::optional<SmallVector<int64_t>> Scaling::constantZeroPoints(size_t count) const {
  if (!zeroPoint)
    return SmallVector<int64_t>(count, 0);
  nn::ConstantOp constant = constantOf(zeroPoint);
  const ArrayRef<char> bytes = constant ? bytesOf(constant) : ArrayRef<char>();
  if (bytes.size() != count)
    return std::nullopt;
  const bool isUnsigned = elementOf(constant).isUnsignedInteger();
  return llvm::map_to_vector(
      bytes, [=](char byte) -> int64_t { return isUnsigned ? static_cast<uint8_t>(byte) : static_cast<int8_t>(byte); });
}

/// Notes the quantized type of numbers with at most 8 bits and constant scales for which the dialect has no
/// dequantization: those of an axis, or those of 4 bits.
void Scaling::noteStored(Value real) const {
  nn::ConstantOp constant = constantOf(scale);
  const std::optional<std::vector<float>> numbers = constant ? nn::floatsOf(constant) : std::nullopt;
  const Type from = elementOf(x);
  if (!real || !numbers || block != 0 || !isa<IntegerType>(from) || from.getIntOrFloatBitWidth() > 8 ||
      !elementOf(real).isF32() || !llvm::all_of(*numbers, isScale))
    return;
  const std::optional<SmallVector<int64_t>> zeroPoints = constantZeroPoints(numbers->size());
  if (!zeroPoints)
    return;
  const QuantizedStorage storage{8, !from.isUnsignedInteger()};
  const SmallVector<double> scales(numbers->begin(), numbers->end());
  MLIRContext *context = from.getContext();
  nn::setStoredType(real.getDefiningOp(),
                    isPerTensor() ? storage.perTensor(context, scales.front(), zeroPoints->front())
                                  : storage.perAxis(context, scales, *zeroPoints, static_cast<int32_t>(axis)));
}

/// Scales or zero points as f32, which broadcast with x.
Value Scaling::spreadOut(ImportedOperation &op, Value numbers) const {
  return castTo(op, spreadOver(op, numbers, x, axis, block), op.builder().getF32Type());
}

Value Scaling::quantized(ImportedOperation &op, Type element, bool saturates) const {
  const Type f32 = op.builder().getF32Type();
  if (const std::optional<Scale> known = isa<IntegerType>(element) ? scaleOfType(element) : std::nullopt)
    return compiler::quantized(op, elementOf(x).isF16() ? x : castTo(op, x, f32), element, *known);
  Formula f(op, f32);
  Value y = f.div(castTo(op, x, f32), spreadOut(op, scale));
  if (isa<FloatType>(element)) {
    if (zeroPoint)
      y = f.add(y, spreadOut(op, zeroPoint));
    return y ? createAs<nn::CastOp>(op, element, y, !saturates) : y;
  }
  const QuantizedStorage range{element.getIntOrFloatBitWidth(), !element.isUnsignedInteger()};
  y = f.apply(nn::UnaryKind::Round, y);
  if (zeroPoint)
    y = f.add(y, spreadOut(op, zeroPoint));
  y = f.min(f.max(y, static_cast<double>(range.min())), static_cast<double>(range.max()));
  return castTo(op, y, element);
}

/// The dialect has no type for them.
static void noteWide(ImportedOperation &op, Type from) {
  if (isa<IntegerType>(from) && from.getIntOrFloatBitWidth() == 16)
    remark::analysis(op.location(), remarkOptions(remarks::kImport, "quantization"))
        << remark::metric(remarks::kChoice, "f32")
        << remark::metric(remarks::kReason, "numbers of 16 bits are unsigned, or have several scales or a zero point");
}

Value Scaling::dequantized(ImportedOperation &op, Type element) const {
  const Type from = elementOf(x), f32 = op.builder().getF32Type();
  const std::optional<Scale> known = isa<IntegerType>(from) ? scaleOfType(from) : std::nullopt;
  if (known && (from.getIntOrFloatBitWidth() == 8 || known->zeroPoint == 0)) {
    Value typed = asQuantized(op, x, *known);
    return !typed || element.isBF16() ? castTo(op, compiler::dequantized(op, x, *known), element)
                                      : createAs<nn::DequantizeOp>(op, element, typed);
  }
  noteWide(op, from);
  Formula f(op, f32);
  Value real = castTo(op, x, f32);
  if (zeroPoint)
    real = f.sub(real, spreadOut(op, zeroPoint));
  real = castTo(op, f.mul(real, spreadOut(op, scale)), element);
  noteStored(real);
  return real;
}

} // namespace avocet::compiler
