//===- TfliteNormalize.cpp - Normalizations and reductions ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Reductions.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The input, and the result's type, which has the input's shape; null after a report.
struct Lines {
  Value input;
  RankedTensorType result;
};

Lines linesOf(TfliteOperator &op) {
  Value input = op.value(0, "input");
  return {input, input ? op.resultType(0, shapeOf(input)) : RankedTensorType()};
}

constexpr int64_t kLastAxis = -1;

LogicalResult convertSoftmax(TfliteOperator &op) {
  auto *options = op.options<tflite::SoftmaxOptions>();
  if (!options)
    return op.malformed("lacks its options");
  Lines lines = linesOf(op);
  if (!lines.result)
    return failure();
  return op.finish(
      nn::SoftmaxOp::create(op.builder(), op.location(), lines.result, lines.input, APFloat(options->beta())));
}

LogicalResult convertLogSoftmax(TfliteOperator &op) {
  Lines lines = linesOf(op);
  return lines.result ? op.finish(nn::LogSoftmaxOp::create(op.builder(), op.location(), lines.result, lines.input,
                                                           APFloat(1.0f), kLastAxis))
                      : failure();
}

LogicalResult convertL2Normalization(TfliteOperator &op) {
  auto *options = op.options<tflite::L2NormOptions>();
  if (options && options->activation() != tflite::ActivationFunction::NONE)
    return op.refuse("fused activation", "has none", EnumNameActivationFunction(options->activation()));
  Lines lines = linesOf(op);
  return lines.result
             ? op.finish(nn::L2NormalizeOp::create(op.builder(), op.location(), lines.result, lines.input, kLastAxis))
             : failure();
}

LogicalResult convertLocalResponse(TfliteOperator &op) {
  auto *options = op.options<tflite::LocalResponseNormalizationOptions>();
  if (!options || options->radius() < 0)
    return op.malformed("has a negative radius, or no options");
  Lines lines = linesOf(op);
  if (!lines.result)
    return failure();
  return op.finish(nn::LocalResponseNormalizeOp::create(
      op.builder(), op.location(), lines.result, lines.input, static_cast<uint32_t>(options->radius()),
      APFloat(options->bias()), APFloat(options->alpha()), APFloat(options->beta()), kLastAxis));
}

using tflite::BuiltinOperator;

ReducedAxes reducedAxes(TfliteOperator &op) {
  auto *options = op.options<tflite::ReducerOptions>();
  return {options && options->keep_dims(), 0};
}

LogicalResult convertMean(TfliteOperator &op) { return finishMean(op, reducedAxes(op)); }

template <nn::ReduceKind kind> LogicalResult convertReduce(TfliteOperator &op) {
  return finishReduce(op, kind, reducedAxes(op));
}

/// Indices are INT32; INT64 results are converted.
template <nn::ArgReduceKind kind> LogicalResult convertArgReduce(TfliteOperator &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<int64_t> axis = op.axis(1, shapeOf(input).size());
  if (failed(axis))
    return failure();
  RankedTensorType result = op.resultType(0, reducedShape(shapeOf(input), {*axis}, {false, 0}));
  if (!result)
    return failure();
  if (elementOf(input).isInteger(1)) // truth values have no order of their own
    input = nn::CastOp::create(op.builder(), op.location(),
                               RankedTensorType::get(shapeOf(input), op.builder().getI32Type()), input);
  auto narrow = RankedTensorType::get(result.getShape(), op.builder().getI32Type());
  Value index = nn::ArgReduceOp::create(op.builder(), op.location(), narrow, input, kind, *axis);
  return op.finish(narrow == result ? index : nn::CastOp::create(op.builder(), op.location(), result, index));
}

constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::L2_NORMALIZATION, 1, 1, convertL2Normalization},
    {BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, 1, 1, convertLocalResponse},
    {BuiltinOperator::LOG_SOFTMAX, 1, 1, convertLogSoftmax},
    {BuiltinOperator::SOFTMAX, 1, 1, convertSoftmax},
    {BuiltinOperator::ARG_MAX, 2, 2, convertArgReduce<nn::ArgReduceKind::Max>},
    {BuiltinOperator::ARG_MIN, 2, 2, convertArgReduce<nn::ArgReduceKind::Min>},
    {BuiltinOperator::MEAN, 2, 2, convertMean},
    {BuiltinOperator::REDUCE_ALL, 2, 2, convertReduce<nn::ReduceKind::All>},
    {BuiltinOperator::REDUCE_ANY, 2, 2, convertReduce<nn::ReduceKind::Any>},
    {BuiltinOperator::REDUCE_MAX, 2, 2, convertReduce<nn::ReduceKind::Max>},
    {BuiltinOperator::REDUCE_MIN, 2, 2, convertReduce<nn::ReduceKind::Min>},
    {BuiltinOperator::REDUCE_PROD, 2, 2, convertReduce<nn::ReduceKind::Prod>},
    {BuiltinOperator::SUM, 2, 2, convertReduce<nn::ReduceKind::Sum>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteNormalizeConverters() { return kConverters; }

} // namespace avocet::compiler
