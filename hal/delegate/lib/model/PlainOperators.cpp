//===- PlainOperators.cpp - Operators without options -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/TfliteParameters.h"
#include "model/OperatorTables.h"

#include <fmt/core.h>

namespace avocet::delegate {

namespace {

using tflite::BuiltinOperator;

template <typename Options> Status fillActivation(const abi::ActivationParameters &from, int32_t, Options &to) {
  return setActivation(from.activation, to.activation);
}

/// `since`: the version that added the last member.
template <typename Parameters, typename Options, int32_t since>
Status fillSum(const Parameters &from, int32_t version, Options &to) {
  if (version >= since)
    to.pot_scale_int16 = from.hasPowerOfTwoScale;
  return setActivation(from.activation, to.activation);
}

Status fillConcatenation(const abi::ConcatenationParameters &from, int32_t, tflite::ConcatenationOptionsT &to) {
  to.axis = from.axis;
  return setActivation(from.activation, to.activation);
}

Status fillSoftmax(const abi::SoftmaxParameters &from, int32_t, tflite::SoftmaxOptionsT &to) {
  to.beta = from.beta;
  return Status::ok();
}

Status fillLeakyRelu(const abi::LeakyReluParameters &from, int32_t, tflite::LeakyReluOptionsT &to) {
  to.alpha = from.alpha;
  return Status::ok();
}

Status fillGelu(const abi::GeluParameters &from, int32_t, tflite::GeluOptionsT &to) {
  to.approximate = from.isApproximate;
  return Status::ok();
}

Status fillResponseNorm(const abi::ResponseNormParameters &from, int32_t,
                        tflite::LocalResponseNormalizationOptionsT &to) {
  to.radius = from.radius;
  to.bias = from.bias;
  to.alpha = from.alpha;
  to.beta = from.beta;
  return Status::ok();
}

Status fillReducer(const abi::ReducerParameters &from, int32_t, tflite::ReducerOptionsT &to) {
  to.keep_dims = from.keepsRank;
  return Status::ok();
}

Status fillCumsum(const abi::CumsumParameters &from, int32_t, tflite::CumsumOptionsT &to) {
  to.exclusive = from.isExclusive;
  to.reverse = from.isReverse;
  return Status::ok();
}

Status fillFakeQuant(const abi::FakeQuantParameters &from, int32_t version, tflite::FakeQuantOptionsT &to) {
  to.min = from.min;
  to.max = from.max;
  to.num_bits = from.bits;
  if (version >= 2)
    to.narrow_range = from.isNarrow;
  return Status::ok();
}

Status fillBucketize(const abi::BucketizeParameters &from, int32_t, tflite::BucketizeOptionsT &to) {
  if (from.count < 0 || (from.count > 0 && from.boundaries == nullptr))
    return unsupported(fmt::format("a list of {} boundaries", from.count));
  to.boundaries.assign(from.boundaries, from.boundaries + from.count);
  return Status::ok();
}

template <typename Options>
constexpr auto kActivation = writeOptions<abi::ActivationParameters, Options, fillActivation<Options>>;
constexpr auto kReducer = writeOptions<abi::ReducerParameters, tflite::ReducerOptionsT, fillReducer>;

constexpr OperatorRow kRows[] = {
    {BuiltinOperator::ADD, 5,
     writeOptions<abi::AddParameters, tflite::AddOptionsT, fillSum<abi::AddParameters, tflite::AddOptionsT, 4>>, 4},
    {BuiltinOperator::SUB, 5,
     writeOptions<abi::SubParameters, tflite::SubOptionsT, fillSum<abi::SubParameters, tflite::SubOptionsT, 5>>, 5},
    {BuiltinOperator::MUL, 7, kActivation<tflite::MulOptionsT>},
    {BuiltinOperator::DIV, 2, kActivation<tflite::DivOptionsT>},
    {BuiltinOperator::L2_NORMALIZATION, 2, kActivation<tflite::L2NormOptionsT>},
    {BuiltinOperator::CONCATENATION, 4,
     writeOptions<abi::ConcatenationParameters, tflite::ConcatenationOptionsT, fillConcatenation>},
    {BuiltinOperator::SOFTMAX, 3, writeOptions<abi::SoftmaxParameters, tflite::SoftmaxOptionsT, fillSoftmax>},
    {BuiltinOperator::LEAKY_RELU, 2, writeOptions<abi::LeakyReluParameters, tflite::LeakyReluOptionsT, fillLeakyRelu>},
    {BuiltinOperator::GELU, 2, writeOptions<abi::GeluParameters, tflite::GeluOptionsT, fillGelu>},
    {BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, 1,
     writeOptions<abi::ResponseNormParameters, tflite::LocalResponseNormalizationOptionsT, fillResponseNorm>},
    {BuiltinOperator::MEAN, 3, kReducer},
    {BuiltinOperator::SUM, 2, kReducer},
    {BuiltinOperator::REDUCE_PROD, 2, kReducer},
    {BuiltinOperator::REDUCE_MAX, 3, kReducer},
    {BuiltinOperator::REDUCE_MIN, 3, kReducer},
    {BuiltinOperator::REDUCE_ANY, 1, kReducer},
    {BuiltinOperator::REDUCE_ALL, 1, kReducer},
    {BuiltinOperator::CUMSUM, 1, writeOptions<abi::CumsumParameters, tflite::CumsumOptionsT, fillCumsum>},
    {BuiltinOperator::FAKE_QUANT, 2, writeOptions<abi::FakeQuantParameters, tflite::FakeQuantOptionsT, fillFakeQuant>,
     2},
    {BuiltinOperator::BUCKETIZE, 1, writeOptions<abi::BucketizeParameters, tflite::BucketizeOptionsT, fillBucketize>},
    {BuiltinOperator::ABS, 5},
    {BuiltinOperator::ADD_N, 1},
    {BuiltinOperator::ATAN2, 1},
    {BuiltinOperator::BATCH_TO_SPACE_ND, 4},
    {BuiltinOperator::BITCAST, 1},
    {BuiltinOperator::BITWISE_XOR, 1},
    {BuiltinOperator::BROADCAST_ARGS, 1},
    {BuiltinOperator::BROADCAST_TO, 3},
    {BuiltinOperator::CAST, 5},
    {BuiltinOperator::CEIL, 1},
    {BuiltinOperator::COMPLEX_ABS, 1},
    {BuiltinOperator::COS, 1},
    {BuiltinOperator::DENSIFY, 1},
    {BuiltinOperator::DEQUANTIZE, 5},
    {BuiltinOperator::DILATE, 1},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, 2},
    {BuiltinOperator::ELU, 1},
    {BuiltinOperator::EMBEDDING_LOOKUP, 3},
    {BuiltinOperator::EQUAL, 4},
    {BuiltinOperator::EXP, 2},
    {BuiltinOperator::EXPAND_DIMS, 1},
    {BuiltinOperator::FILL, 4},
    {BuiltinOperator::FLOOR, 1},
    {BuiltinOperator::FLOOR_DIV, 3},
    {BuiltinOperator::FLOOR_MOD, 2},
    {BuiltinOperator::GATHER_ND, 4},
    {BuiltinOperator::GREATER, 2},
    {BuiltinOperator::GREATER_EQUAL, 3},
    {BuiltinOperator::HARD_SWISH, 1},
    {BuiltinOperator::HASHTABLE_LOOKUP, 1},
    {BuiltinOperator::IMAG, 1},
    {BuiltinOperator::LESS, 3},
    {BuiltinOperator::LESS_EQUAL, 2},
    {BuiltinOperator::LOG, 2},
    {BuiltinOperator::LOGICAL_AND, 1},
    {BuiltinOperator::LOGICAL_NOT, 1},
    {BuiltinOperator::LOGICAL_OR, 1},
    {BuiltinOperator::LOGISTIC, 3},
    {BuiltinOperator::LOG_SOFTMAX, 2},
    {BuiltinOperator::MATRIX_DIAG, 1},
    {BuiltinOperator::MATRIX_SET_DIAG, 1},
    {BuiltinOperator::MAXIMUM, 4},
    {BuiltinOperator::MINIMUM, 4},
    {BuiltinOperator::NEG, 1},
    {BuiltinOperator::NON_MAX_SUPPRESSION_V4, 1},
    {BuiltinOperator::NON_MAX_SUPPRESSION_V5, 1},
    {BuiltinOperator::NOT_EQUAL, 3},
    {BuiltinOperator::PAD, 4},
    {BuiltinOperator::PADV2, 4},
    {BuiltinOperator::POW, 1},
    {BuiltinOperator::PRELU, 1},
    {BuiltinOperator::QUANTIZE, 3},
    {BuiltinOperator::RANGE, 2},
    {BuiltinOperator::RANK, 1},
    {BuiltinOperator::REAL, 1},
    {BuiltinOperator::RELU, 3},
    {BuiltinOperator::RELU6, 3},
    {BuiltinOperator::RELU_0_TO_1, 1},
    {BuiltinOperator::RELU_N1_TO_1, 1},
    {BuiltinOperator::REVERSE_V2, 3},
    {BuiltinOperator::RFFT2D, 1},
    {BuiltinOperator::RIGHT_SHIFT, 1},
    {BuiltinOperator::ROUND, 1},
    {BuiltinOperator::RSQRT, 2},
    {BuiltinOperator::SCATTER_ND, 1},
    {BuiltinOperator::SEGMENT_SUM, 1},
    {BuiltinOperator::SELECT, 4},
    {BuiltinOperator::SELECT_V2, 2},
    {BuiltinOperator::SIGN, 2},
    {BuiltinOperator::SIN, 1},
    {BuiltinOperator::SLICE, 6},
    {BuiltinOperator::SPACE_TO_BATCH_ND, 4},
    {BuiltinOperator::SPARSE_TO_DENSE, 3},
    {BuiltinOperator::SQRT, 1},
    {BuiltinOperator::SQUARE, 1},
    {BuiltinOperator::SQUARED_DIFFERENCE, 2},
    {BuiltinOperator::TANH, 3},
    {BuiltinOperator::TILE, 3},
    {BuiltinOperator::TOPK_V2, 3},
    {BuiltinOperator::TRANSPOSE, 6},
    {BuiltinOperator::UNSORTED_SEGMENT_MAX, 1},
    {BuiltinOperator::UNSORTED_SEGMENT_MIN, 1},
    {BuiltinOperator::UNSORTED_SEGMENT_PROD, 1},
    {BuiltinOperator::UNSORTED_SEGMENT_SUM, 1},
    {BuiltinOperator::ZEROS_LIKE, 1},
};

} // namespace

std::span<const OperatorRow> plainOperators() { return kRows; }

} // namespace avocet::delegate
