//===- TfliteNormalize.cpp - Normalizations and reductions ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "Import/Common/Reductions.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr int64_t kLastAxis = -1;

LogicalResult convertSoftmax(TfliteOperator &op, const tflite::SoftmaxOptions &options) {
  return createFunction<nn::SoftmaxOp>(op, APFloat(options.beta()), kLastAxis);
}

LogicalResult convertLogSoftmax(TfliteOperator &op) {
  return createFunction<nn::LogSoftmaxOp>(op, APFloat(1.0f), kLastAxis);
}

LogicalResult convertL2Normalization(TfliteOperator &op, const tflite::L2NormOptions *options) {
  if (options && options->activation() != tflite::ActivationFunction::NONE)
    return op.refuse("fused activation", "has none", EnumNameActivationFunction(options->activation()));
  return createFunction<nn::L2NormalizeOp>(op, kLastAxis);
}

LogicalResult convertLocalResponse(TfliteOperator &op, const tflite::LocalResponseNormalizationOptions *options) {
  if (!options || options->radius() < 0)
    return op.malformed("has a negative radius, or no options");
  return createFunction<nn::LocalResponseNormalizeOp>(op, static_cast<uint32_t>(options->radius()),
                                                      APFloat(options->bias()), APFloat(options->alpha()),
                                                      APFloat(options->beta()), kLastAxis);
}

using tflite::BuiltinOperator;

ReducedAxes reducedAxes(TfliteOperator &op) {
  auto *options = op.options<tflite::ReducerOptions>();
  return {options && options->keep_dims()};
}

LogicalResult convertMean(TfliteOperator &op) { return finishMean(op, reducedAxes(op)); }

template <nn::ReduceKind kind> LogicalResult convertReduce(TfliteOperator &op) {
  return finishReduce(op, kind, reducedAxes(op));
}

template <nn::ArgReduceKind kind> LogicalResult convertArgReduce(TfliteOperator &op) {
  return finishArgReduce(op, kind);
}

constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::L2_NORMALIZATION, 1, 1, withOptions<convertL2Normalization>},
    {BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, 1, 1, withOptions<convertLocalResponse>},
    {BuiltinOperator::LOG_SOFTMAX, 1, 1, convertLogSoftmax},
    {BuiltinOperator::SOFTMAX, 1, 1, withOptions<convertSoftmax>},
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
