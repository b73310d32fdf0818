//===- FixedPoint.cpp - Converters of com.avocet.fixed_point ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/nnapi/extensions/FixedPoint.h"
#include "Import/Common/Create.h"

#include "Import/Common/Constants.h"
#include "Import/Nnapi/NnapiGraph.h"

using namespace mlir;

namespace avocet::compiler {

using namespace nnapi::fixedpoint;

namespace {

Value filledWith(NnapiOperation &op, double value) {
  auto scalar = RankedTensorType::get({}, op.builder().getF32Type());
  return filled(op, scalar, op.builder().getF32FloatAttr(static_cast<float>(value)));
}

Value product(NnapiOperation &op, Value value, double factor) { return multiply(op, value, filledWith(op, factor)); }

/// The numbers of a TENSOR_FIXED8, which float32 holds exactly.
Value toReal(NnapiOperation &op, Value value) {
  const bool isReal = !value || !isa<quant::UniformQuantizedType>(elementOf(value));
  return isReal ? value : createAs<nn::DequantizeOp>(op, op.builder().getF32Type(), value);
}

FailureOr<Rounding> roundingOf(NnapiOperation &op) {
  const std::optional<std::span<const uint8_t>> value = op.attribute(kRounding);
  if (!value)
    return Rounding::Nearest;
  if (value->size() != 1 || value->front() > static_cast<uint8_t>(Rounding::Down))
    return op.malformed("has an attribute ROUNDING that is not one byte, 0 or 1");
  return static_cast<Rounding>(value->front());
}

/// Multiples of the scale, towards minus infinity. The scale is a power of two, so both products are exact.
Value roundedDown(NnapiOperation &op, Value real, double scale) {
  Value steps = product(op, real, 1 / scale);
  Value whole = createAs<nn::UnaryOp>(op, op.builder().getF32Type(), steps, nn::UnaryKind::Floor, APFloat(1.0f));
  return product(op, whole, scale);
}

/// Binds the result: real numbers, or a TENSOR_FIXED8.
LogicalResult finishReal(NnapiOperation &op, Value real) {
  const Type element = op.resultElement(0);
  if (!real || !element || !op.resultType(0, shapeOf(real)))
    return failure();
  auto fixed = dyn_cast<quant::UniformQuantizedType>(element);
  if (!fixed)
    return op.finish(real);
  FailureOr<Rounding> rounding = roundingOf(op);
  if (failed(rounding))
    return failure();
  if (*rounding == Rounding::Down)
    real = roundedDown(op, real, fixed.getScale());
  return finish<nn::QuantizeOp>(op, real);
}

LogicalResult convertConvert(NnapiOperation &op) { return finishReal(op, toReal(op, op.value(0, "input"))); }

LogicalResult convertHardSigmoid(NnapiOperation &op) {
  Value input = op.value(0, "x"), alpha = op.value(1, "alpha"), beta = op.value(2, "beta");
  Value scaled = multiply(op, toReal(op, input), alpha);
  Value positive = createPair<nn::AddOp>(op, scaled, beta, nn::Activation::kRelu);
  return finishReal(op, createPair<nn::MinimumOp>(op, positive, filledWith(op, 1)));
}

constexpr NnapiExtensionOperation kOperations[] = {
    {"CONVERT", {OperationType{kConvert}, 1, 1, 0, convertConvert}},
    {"HARD_SIGMOID", {OperationType{kHardSigmoid}, 3, 3, 0, convertHardSigmoid}},
};

} // namespace

/// Named after the folder; the table of extensions refers to it.
extern const NnapiExtension kComAvocetFixedPoint;
constexpr NnapiExtension kComAvocetFixedPoint = {kName, kOperations};

} // namespace avocet::compiler
