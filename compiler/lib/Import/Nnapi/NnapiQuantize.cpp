//===- NnapiQuantize.cpp - Changes of type and scale ---------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "NnapiGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The scales along one axis as a constant that broadcasts to the input.
Value scalesOf(NnapiOperation &op, RankedTensorType input, quant::UniformQuantizedPerAxisType type) {
  SmallVector<int64_t> shape(input.getRank(), 1);
  shape[type.getQuantizedDimension()] = type.getScales().size();
  auto scales = llvm::map_to_vector(type.getScales(), [](double scale) { return static_cast<float>(scale); });
  auto constant = RankedTensorType::get(shape, op.builder().getF32Type());
  return nn::ConstantOp::create(op.builder(), op.location(), constant,
                                DenseElementsAttr::get(constant, ArrayRef<float>(scales)));
}

/// Stored values times scales; the zero points are 0.
LogicalResult dequantizeChannels(NnapiOperation &op, Value input, quant::UniformQuantizedPerAxisType type,
                                 RankedTensorType result) {
  OpBuilder &builder = op.builder();
  auto real = RankedTensorType::get(result.getShape(), builder.getF32Type());
  Value stored = nn::CastOp::create(builder, op.location(), real, input);
  Value scales = scalesOf(op, cast<RankedTensorType>(input.getType()), type);
  Value product = nn::MulOp::create(builder, op.location(), real, stored, scales, nn::Activation::None);
  return op.finish(real == result ? product : nn::CastOp::create(builder, op.location(), result, product));
}

LogicalResult convertDequantize(NnapiOperation &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  Type element = cast<RankedTensorType>(input.getType()).getElementType();
  if (auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    return dequantizeChannels(op, input, type, result);
  return op.finish(nn::DequantizeOp::create(op.builder(), op.location(), result, input));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Dequantize, 1, 1, 0, convertDequantize},
    {OperationType::Cast, 1, 1, 0, shared<convertFunction<nn::CastOp>>},
    {OperationType::Quantize, 1, 1, 0, shared<convertFunction<nn::QuantizeOp>>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiQuantizeConverters() { return kConverters; }

} // namespace avocet::compiler
