//===- TfliteParameters.h - Options of nodes in memory ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures in which TensorFlow Lite keeps the options of builtin operators (Node::parameters; its
// c/builtin_op_data.h), as of version 2.9, with later members where the importer reads them. A structure grows at its
// end. "since N": version N of the operator added the member. It must not be read of nodes of older versions, unless
// the interpreter is known to have it (OperatorRow::versionOf29).
//
// Enumerations are int32_t: the numbers come from another library and are checked where they are read.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_ABI_TFLITEPARAMETERS_H
#define AVOCET_HAL_DELEGATE_LIB_ABI_TFLITEPARAMETERS_H

#include <cstdint>

namespace avocet::delegate::abi {

constexpr int32_t kPaddingSame = 1;
constexpr int32_t kPaddingValid = 2;
constexpr int32_t kMirrorReflect = 1;
constexpr int32_t kMirrorSymmetric = 2;

struct ConvParameters {
  int32_t padding, strideWidth, strideHeight, activation;
  int32_t dilationWidth, dilationHeight; ///< since 2
};

struct DepthwiseConvParameters {
  int32_t padding, strideWidth, strideHeight, depthMultiplier, activation;
  int32_t dilationWidth, dilationHeight; ///< since 2
};

struct Conv3dParameters {
  int32_t padding, strideWidth, strideHeight, strideDepth, dilationWidth, dilationHeight, dilationDepth, activation;
};

struct TransposeConvParameters {
  int32_t padding, strideWidth, strideHeight;
  int32_t activation; ///< since 4
};

struct PoolParameters {
  int32_t padding, strideWidth, strideHeight, filterWidth, filterHeight, activation;
  int32_t computed[4];
};

struct FullyConnectedParameters {
  int32_t activation;
  int32_t weightsFormat;        ///< since 2
  bool keepsRank;               ///< since 5
  bool quantizesAsymmetrically; ///< since 7
};

struct BatchMatMulParameters {
  bool adjointX, adjointY;
  bool quantizesAsymmetrically; ///< since 4
};

/// Of operators whose only option is the activation.
struct ActivationParameters {
  int32_t activation;
};

struct AddParameters {
  int32_t activation;
  bool hasPowerOfTwoScale; ///< since 4
};

struct SubParameters {
  int32_t activation;
  bool hasPowerOfTwoScale; ///< since 5
};

struct ConcatenationParameters {
  int32_t axis, activation;
};

struct SoftmaxParameters {
  float beta;
};

struct LeakyReluParameters {
  float alpha;
};

struct GeluParameters {
  bool isApproximate;
};

struct ResponseNormParameters {
  int32_t radius;
  float bias, alpha, beta;
};

struct ReducerParameters {
  bool keepsRank;
};

struct CumsumParameters {
  bool isExclusive, isReverse;
};

struct FakeQuantParameters {
  float min, max;
  int32_t bits;
  bool isNarrow; ///< since 2
};

struct BucketizeParameters {
  int32_t count;
  const float *boundaries;
};

/// Of both resizing operators.
struct ResizeParameters {
  bool alignsCorners;
  bool hasHalfPixelCenters; ///< since 3
};

struct ReshapeParameters {
  int32_t shape[8];
  int32_t rank;
};

struct SqueezeParameters {
  int32_t axes[8];
  int32_t count;
};

/// Of SPACE_TO_DEPTH and DEPTH_TO_SPACE.
struct BlockParameters {
  int32_t blockSize;
};

struct GatherParameters {
  int32_t axis;
  int32_t batchAxes; ///< since 5
};

struct StridedSliceParameters {
  int32_t beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask;
  bool isOffset; ///< since 8
};

/// Of SPLIT and SPLIT_V.
struct SplitParameters {
  int32_t count;
};

/// Of PACK and UNPACK.
struct PackParameters {
  int32_t count, axis;
};

struct AxisParameters {
  int32_t axis;
};

struct MirrorPadParameters {
  int32_t mode;
};

/// Of ARG_MAX, ARG_MIN and SHAPE: an abi::Type.
struct TypeParameters {
  int32_t type;
};

struct ReverseSequenceParameters {
  int32_t sequenceAxis, batchAxis;
};

struct LshProjectionParameters {
  int32_t type;
};

struct SvdfParameters {
  int32_t rank, activation;
  bool quantizesAsymmetrically; ///< since 4
};

struct RnnParameters {
  int32_t activation;
  bool quantizesAsymmetrically; ///< since 3
};

struct SequenceRnnParameters {
  bool isTimeMajor;
  int32_t activation;
  bool quantizesAsymmetrically; ///< since 3
};

struct BidirectionalRnnParameters {
  bool isTimeMajor;
  int32_t activation;
  bool mergesOutputs;
  bool quantizesAsymmetrically; ///< since 3
};

struct LstmParameters {
  int32_t activation;
  float cellClip, projectionClip;
  int32_t kernel;               ///< since 2
  bool quantizesAsymmetrically; ///< since 4
};

struct SequenceLstmParameters {
  int32_t activation;
  float cellClip, projectionClip;
  bool isTimeMajor;
  bool quantizesAsymmetrically; ///< since 3
  bool hasDiagonalRecurrence;   ///< since 4
};

struct BidirectionalLstmParameters {
  int32_t activation;
  float cellClip, projectionClip;
  bool mergesOutputs;
  bool isTimeMajor;             ///< since 2
  bool quantizesAsymmetrically; ///< since 3
};

} // namespace avocet::delegate::abi

#endif // AVOCET_HAL_DELEGATE_LIB_ABI_TFLITEPARAMETERS_H
