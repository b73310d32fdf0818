//===- NnapiElementwise.cpp - Elementwise operations, comparisons and quantization ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Axes.h"
#include "Import/Common/Constants.h"
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
  const Type element = op.resultElement(0);
  if (!lhs || !rhs || !element)
    return failure();
  lhs = requantized(op, lhs, element);
  return finish<nn::SelectOp>(op, condition, lhs, requantized(op, rhs, element));
}

LogicalResult convertElu(NnapiOperation &op) {
  FailureOr<double> alpha = op.real(1, "alpha");
  if (failed(alpha))
    return failure();
  return createFunction<nn::UnaryOp>(op, nn::UnaryKind::Elu, APFloat(static_cast<float>(*alpha)));
}

/// The scales along one axis as a constant that broadcasts to the input.
Value scalesOf(NnapiOperation &op, RankedTensorType input, quant::UniformQuantizedPerAxisType type) {
  auto scales = llvm::map_to_vector(type.getScales(), [](double scale) { return static_cast<float>(scale); });
  return float32Constant(
      op, lineShape(input.getRank(), type.getQuantizedDimension(), static_cast<int64_t>(scales.size())), scales);
}

/// Of scales per channel: stored values times scales; the zero points are 0.
LogicalResult convertDequantize(NnapiOperation &op) {
  Value input = op.value(0, "input");
  auto type = input ? dyn_cast<quant::UniformQuantizedPerAxisType>(elementOf(input)) : nullptr;
  if (!type)
    return finish<nn::DequantizeOp>(op, input);
  Value stored = castTo(op, input, op.builder().getF32Type());
  Value product = multiply(op, stored, scalesOf(op, tensorOf(input), type));
  const Type element = op.resultElement(0);
  Value result = element ? castTo(op, product, element) : Value();
  return result && op.resultType(0, shapeOf(result)) ? op.finish(result) : failure();
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Relu, 1, 1, 0, shared<convertClamp<nn::Activation::kRelu>>},
    {OperationType::Relu1, 1, 1, 0, shared<convertClamp<nn::Activation::kReluN1To1>>},
    {OperationType::Relu6, 1, 1, 0, shared<convertClamp<nn::Activation::kRelu6>>},
#define AVOCET_NN_NNAPI(Operation, operands, ...)                                                                      \
  {OperationType::Operation, operands, operands, 0, shared<convertDirect<operands, __VA_ARGS__>>},
#include "avocet/nnapi/NnOperations.inc"
    {OperationType::Add, 3, 3, 1 << 2, convertArithmetic<nn::AddOp>},
    {OperationType::Mul, 3, 3, 1 << 2, convertArithmetic<nn::MulOp>},
    {OperationType::Div, 3, 3, 1 << 2, convertArithmetic<nn::DivOp>},
    {OperationType::Sub, 3, 3, 1 << 2, convertArithmetic<nn::SubOp>},
    {OperationType::Maximum, 2, 2, 0, shared<convertSelecting<nn::MaximumOp>>},
    {OperationType::Minimum, 2, 2, 0, shared<convertSelecting<nn::MinimumOp>>},
    {OperationType::Select, 3, 3, 0, convertSelect},
    {OperationType::Elu, 2, 2, 1 << 1, convertElu},
    {OperationType::Dequantize, 1, 1, 0, convertDequantize},
};

} // namespace

ArrayRef<NnapiConverter> nnapiElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
