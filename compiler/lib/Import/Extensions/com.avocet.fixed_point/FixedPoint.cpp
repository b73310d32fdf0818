//===- FixedPoint.cpp - Converters of com.avocet.fixed_point ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/nnapi/extensions/FixedPoint.h"

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

RankedTensorType realTypeOf(NnapiOperation &op, Value value) {
  return RankedTensorType::get(shapeOf(value), op.builder().getF32Type());
}

Value product(NnapiOperation &op, Value value, double factor) {
  return nn::MulOp::create(op.builder(), op.location(), realTypeOf(op, value), value, filledWith(op, factor),
                           nn::Activation::None);
}

/// The numbers of a TENSOR_FIXED8, which float32 holds exactly.
Value toReal(NnapiOperation &op, Value value) {
  if (!isa<quant::UniformQuantizedType>(elementOf(value)))
    return value;
  return nn::DequantizeOp::create(op.builder(), op.location(), realTypeOf(op, value), value);
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
  Value whole =
      nn::UnaryOp::create(op.builder(), op.location(), steps.getType(), steps, nn::UnaryKind::Floor, APFloat(1.0f));
  return product(op, whole, scale);
}

/// Binds the result, of type `result`: real numbers, or a TENSOR_FIXED8.
LogicalResult finishReal(NnapiOperation &op, Value real, RankedTensorType result) {
  auto fixed = dyn_cast<quant::UniformQuantizedType>(result.getElementType());
  if (!fixed)
    return op.finish(real);
  FailureOr<Rounding> rounding = roundingOf(op);
  if (failed(rounding))
    return failure();
  if (*rounding == Rounding::Down)
    real = roundedDown(op, real, fixed.getScale());
  return op.finish(nn::QuantizeOp::create(op.builder(), op.location(), result, real));
}

LogicalResult convertConvert(NnapiOperation &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  return result ? finishReal(op, toReal(op, input), result) : failure();
}

LogicalResult convertHardSigmoid(NnapiOperation &op) {
  Value input = op.value(0, "x"), alpha = op.value(1, "alpha"), beta = op.value(2, "beta");
  RankedTensorType result = input && alpha && beta ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  OpBuilder &builder = op.builder();
  const RankedTensorType real = realTypeOf(op, input);
  Value scaled = nn::MulOp::create(builder, op.location(), real, toReal(op, input), alpha, nn::Activation::None);
  Value positive = nn::AddOp::create(builder, op.location(), real, scaled, beta, nn::Activation::Relu);
  return finishReal(op, nn::MinimumOp::create(builder, op.location(), real, positive, filledWith(op, 1)), result);
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
