//===- NnapiElementwise.cpp - Elementwise operations, comparisons and quantization ---*- C++ -*-===//
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

template <typename Op> LogicalResult convertArithmetic(NnapiOperation &op) {
  FailureOr<nn::Activation> activation = op.activation(2);
  return failed(activation) ? failure() : createBinary<Op>(op, *activation);
}

/// Inputs with scales of their own are first converted to the result's scale.
LogicalResult convertSelect(NnapiOperation &op) {
  Value condition = op.value(0, "condition"), lhs = op.value(1, "input 1"), rhs = op.value(2, "input 2");
  RankedTensorType result = condition && lhs && rhs ? op.resultType(0, shapeOf(lhs)) : RankedTensorType();
  if (!result)
    return failure();
  Type element = result.getElementType();
  return op.finish(nn::SelectOp::create(op.builder(), op.location(), result, condition, requantized(op, lhs, element),
                                        requantized(op, rhs, element)));
}

LogicalResult convertElu(NnapiOperation &op) {
  FailureOr<double> alpha = op.real(1, "alpha");
  if (failed(alpha))
    return failure();
  return createFunction<nn::UnaryOp>(op, nn::UnaryKind::Elu, APFloat(static_cast<float>(*alpha)));
}

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
    {OperationType::Add, 3, 3, 1 << 2, convertArithmetic<nn::AddOp>},
    {OperationType::Mul, 3, 3, 1 << 2, convertArithmetic<nn::MulOp>},
    {OperationType::Div, 3, 3, 1 << 2, convertArithmetic<nn::DivOp>},
    {OperationType::Sub, 3, 3, 1 << 2, convertArithmetic<nn::SubOp>},
    {OperationType::Maximum, 2, 2, 0, shared<convertSelecting<nn::MaximumOp>>},
    {OperationType::Minimum, 2, 2, 0, shared<convertSelecting<nn::MinimumOp>>},
    {OperationType::Pow, 2, 2, 0, shared<convertBinary<nn::PowOp>>},
    {OperationType::Prelu, 2, 2, 0, shared<convertBinary<nn::PreluOp>>},
    {OperationType::Equal, 2, 2, 0, shared<convertCompare<nn::CompareKind::Equal>>},
    {OperationType::Greater, 2, 2, 0, shared<convertCompare<nn::CompareKind::Greater>>},
    {OperationType::GreaterEqual, 2, 2, 0, shared<convertCompare<nn::CompareKind::GreaterEqual>>},
    {OperationType::Less, 2, 2, 0, shared<convertCompare<nn::CompareKind::Less>>},
    {OperationType::LessEqual, 2, 2, 0, shared<convertCompare<nn::CompareKind::LessEqual>>},
    {OperationType::LogicalAnd, 2, 2, 0, shared<convertLogical<nn::LogicalKind::And>>},
    {OperationType::LogicalOr, 2, 2, 0, shared<convertLogical<nn::LogicalKind::Or>>},
    {OperationType::NotEqual, 2, 2, 0, shared<convertCompare<nn::CompareKind::NotEqual>>},
    {OperationType::Select, 3, 3, 0, convertSelect},
    {OperationType::Floor, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Floor>>},
    {OperationType::Logistic, 1, 1, 0, shared<convertFunction<nn::LogisticOp>>},
    {OperationType::Relu, 1, 1, 0, shared<convertRelu<nn::Activation::Relu>>},
    {OperationType::Relu1, 1, 1, 0, shared<convertRelu<nn::Activation::ReluN1To1>>},
    {OperationType::Relu6, 1, 1, 0, shared<convertRelu<nn::Activation::Relu6>>},
    {OperationType::Tanh, 1, 1, 0, shared<convertFunction<nn::TanhOp>>},
    {OperationType::Abs, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Abs>>},
    {OperationType::Exp, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Exp>>},
    {OperationType::Log, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Log>>},
    {OperationType::LogicalNot, 1, 1, 0, shared<convertUnary<nn::UnaryKind::LogicalNot>>},
    {OperationType::Neg, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Neg>>},
    {OperationType::Rsqrt, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Rsqrt>>},
    {OperationType::Sin, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Sin>>},
    {OperationType::Sqrt, 1, 1, 0, shared<convertUnary<nn::UnaryKind::Sqrt>>},
    {OperationType::Elu, 2, 2, 1 << 1, convertElu},
    {OperationType::HardSwish, 1, 1, 0, shared<convertUnary<nn::UnaryKind::HardSwish>>},
    {OperationType::Dequantize, 1, 1, 0, convertDequantize},
    {OperationType::Cast, 1, 1, 0, shared<convertFunction<nn::CastOp>>},
    {OperationType::Quantize, 1, 1, 0, shared<convertFunction<nn::QuantizeOp>>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
