//===- ConvOperators.cpp - Windows and matrix products - *- C++ -*-===//
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

template <typename Parameters, typename Options> Status fillWindow(const Parameters &from, Options &to) {
  to.stride_w = from.strideWidth;
  to.stride_h = from.strideHeight;
  return setPadding(from.padding, to.padding);
}

template <typename Parameters, typename Options> Status fillConv(const Parameters &from, int32_t version, Options &to) {
  AVOCET_RETURN_IF_ERROR(fillWindow(from, to));
  if (version >= 2) {
    to.dilation_w = from.dilationWidth;
    to.dilation_h = from.dilationHeight;
  }
  return setActivation(from.activation, to.activation);
}

Status fillDepthwise(const abi::DepthwiseConvParameters &from, int32_t version, tflite::DepthwiseConv2DOptionsT &to) {
  to.depth_multiplier = from.depthMultiplier;
  return fillConv(from, version, to);
}

Status fillVolume(const abi::Conv3dParameters &from, int32_t, tflite::Conv3DOptionsT &to) {
  AVOCET_RETURN_IF_ERROR(fillWindow(from, to));
  to.stride_d = from.strideDepth;
  to.dilation_d = from.dilationDepth;
  to.dilation_w = from.dilationWidth;
  to.dilation_h = from.dilationHeight;
  return setActivation(from.activation, to.activation);
}

Status fillTransposed(const abi::TransposeConvParameters &from, int32_t version, tflite::TransposeConvOptionsT &to) {
  AVOCET_RETURN_IF_ERROR(fillWindow(from, to));
  return version >= 4 ? setActivation(from.activation, to.activation) : Status::ok();
}

Status fillPool(const abi::PoolParameters &from, int32_t, tflite::Pool2DOptionsT &to) {
  AVOCET_RETURN_IF_ERROR(fillWindow(from, to));
  to.filter_width = from.filterWidth;
  to.filter_height = from.filterHeight;
  return setActivation(from.activation, to.activation);
}

Status fillFullyConnected(const abi::FullyConnectedParameters &from, int32_t version,
                          tflite::FullyConnectedOptionsT &to) {
  if (version >= 2 && from.weightsFormat != 0)
    return unsupported(fmt::format("weights format {}, must be 0", from.weightsFormat));
  if (version >= 5)
    to.keep_num_dims = from.keepsRank;
  if (version >= 7)
    to.asymmetric_quantize_inputs = from.quantizesAsymmetrically;
  return setActivation(from.activation, to.activation);
}

Status fillMatMul(const abi::BatchMatMulParameters &from, int32_t version, tflite::BatchMatMulOptionsT &to) {
  to.adj_x = from.adjointX;
  to.adj_y = from.adjointY;
  if (version >= 4)
    to.asymmetric_quantize_inputs = from.quantizesAsymmetrically;
  return Status::ok();
}

constexpr auto kPool = writeOptions<abi::PoolParameters, tflite::Pool2DOptionsT, fillPool>;
constexpr auto kVolume = writeOptions<abi::Conv3dParameters, tflite::Conv3DOptionsT, fillVolume>;

constexpr OperatorRow kRows[] = {
    {BuiltinOperator::CONV_2D, 7,
     writeOptions<abi::ConvParameters, tflite::Conv2DOptionsT, fillConv<abi::ConvParameters, tflite::Conv2DOptionsT>>,
     2},
    {BuiltinOperator::DEPTHWISE_CONV_2D, 7,
     writeOptions<abi::DepthwiseConvParameters, tflite::DepthwiseConv2DOptionsT, fillDepthwise>, 2},
    {BuiltinOperator::CONV_3D, 1, kVolume},
    {BuiltinOperator::CONV_3D_TRANSPOSE, 1, kVolume},
    {BuiltinOperator::TRANSPOSE_CONV, 4,
     writeOptions<abi::TransposeConvParameters, tflite::TransposeConvOptionsT, fillTransposed>},
    {BuiltinOperator::AVERAGE_POOL_2D, 3, kPool},
    {BuiltinOperator::MAX_POOL_2D, 3, kPool},
    {BuiltinOperator::L2_POOL_2D, 1, kPool},
    {BuiltinOperator::FULLY_CONNECTED, 10,
     writeOptions<abi::FullyConnectedParameters, tflite::FullyConnectedOptionsT, fillFullyConnected>, 7},
    {BuiltinOperator::BATCH_MATMUL, 4,
     writeOptions<abi::BatchMatMulParameters, tflite::BatchMatMulOptionsT, fillMatMul>, 4},
};

} // namespace

std::span<const OperatorRow> convOperators() { return kRows; }

} // namespace avocet::delegate
