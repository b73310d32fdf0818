//===- TfliteFakeQuant.cpp - Floats rounded as by a quantisation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operator simulates a quantisation of its range in networks that compute with floats.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "TfliteGraph.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

struct Range {
  float min, max, step;
};

/// The range in which zero is a whole number of steps from both ends, in the arithmetic of the reference.
Range nudged(const tflite::FakeQuantOptions &options) {
  const auto least = static_cast<float>(options.narrow_range() ? 1 : 0);
  const auto greatest = static_cast<float>((1 << options.num_bits()) - 1);
  const float step = (options.max() - options.min()) / (greatest - least);
  const float start = options.min() / step;
  const float zero = std::round(std::fmin(std::fmax(least - start, least), greatest));
  return {(least - zero) * step, (greatest - zero) * step, step};
}

LogicalResult checkOptions(TfliteOperator &op, const tflite::FakeQuantOptions *options) {
  if (!options)
    return op.malformed("lacks its options");
  if (options->num_bits() < 2 || options->num_bits() > 16)
    return op.malformed("has " + Twine(options->num_bits()) + " bits, must have 2 to 16");
  if (!(options->min() < options->max()) || !std::isfinite(options->max() - options->min()))
    return op.malformed("has the range from " + Twine(std::to_string(options->min())) + " to " +
                        Twine(std::to_string(options->max())) + ", must have an end above its begin");
  return success();
}

/// Operations on floats of one shape with a number as second operand.
class FloatChain {
public:
  FloatChain(TfliteOperator &op, RankedTensorType type) : op_(op), type_(type) {}

  Value number(float value) const {
    OpBuilder &builder = op_.builder();
    return filled(op_, RankedTensorType::get({}, builder.getF32Type()), builder.getF32FloatAttr(value));
  }

  template <typename Op, typename... Attributes> Value apply(Value lhs, Value rhs, Attributes... attributes) const {
    return Op::create(op_.builder(), op_.location(), type_, lhs, rhs, attributes...);
  }

  /// Halves are rounded up: the fraction of a float is exact, while adding a half may round.
  Value rounded(Value value) const {
    OpBuilder &builder = op_.builder();
    Value whole = nn::UnaryOp::create(builder, op_.location(), type_, value, nn::UnaryKind::Floor, llvm::APFloat(1.0f));
    Value fraction = apply<nn::SubOp>(value, whole, nn::Activation::None);
    auto truth = RankedTensorType::get(type_.getShape(), builder.getI1Type());
    Value isUp =
        nn::CompareOp::create(builder, op_.location(), truth, fraction, number(0.5f), nn::CompareKind::GreaterEqual);
    Value one = nn::CastOp::create(builder, op_.location(), type_, isUp);
    return apply<nn::AddOp>(whole, one, nn::Activation::None);
  }

private:
  TfliteOperator &op_;
  RankedTensorType type_;
};

LogicalResult convertFakeQuant(TfliteOperator &op) {
  auto *options = op.options<tflite::FakeQuantOptions>();
  Value input = op.value(0, "input");
  if (!input || failed(checkOptions(op, options)))
    return failure();
  RankedTensorType result = op.resultType(0, shapeOf(input));
  if (!result)
    return failure();
  if (!elementOf(input).isF32() || !result.getElementType().isF32())
    return op.refuse("input", "element type", "another one", "FLOAT32");
  const Range range = nudged(*options);
  const FloatChain chain(op, result);
  Value least = chain.number(range.min), above = chain.apply<nn::MaximumOp>(input, least);
  Value inside = chain.apply<nn::MinimumOp>(above, chain.number(range.max));
  Value shifted = chain.apply<nn::SubOp>(inside, least, nn::Activation::None);
  Value steps = chain.apply<nn::MulOp>(shifted, chain.number(1.0f / range.step), nn::Activation::None);
  Value real = chain.apply<nn::MulOp>(chain.rounded(steps), chain.number(range.step), nn::Activation::None);
  return op.finish(chain.apply<nn::AddOp>(real, least, nn::Activation::None));
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::FAKE_QUANT, 1, 1, convertFakeQuant},
};

} // namespace

ArrayRef<TfliteConverter> tfliteFakeQuantConverters() { return kConverters; }

} // namespace avocet::compiler
