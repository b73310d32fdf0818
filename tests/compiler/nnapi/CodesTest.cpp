//===- CodesTest.cpp - The codes of NNAPI against the standard ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expected rows repeat the published codes (aidl OperationType.aidl, OperandType.aidl), so that a change of the
// tables by mistake fails.
//
//===----------------------------------------------------------------------===//

#include "avocet/nnapi/Codes.h"

#include <gtest/gtest.h>

#include <cctype>
#include <iterator>
#include <string>

namespace avocet::nnapi {
namespace {

struct ExpectedOperation {
  OperationType type;
  int32_t code;
  std::string_view name;
  uint32_t level;
};

constexpr ExpectedOperation kExpectedOperations[] = {
    {OperationType::Add, 0, "ADD", 1},
    {OperationType::AveragePool2d, 1, "AVERAGE_POOL_2D", 1},
    {OperationType::Concatenation, 2, "CONCATENATION", 1},
    {OperationType::Conv2d, 3, "CONV_2D", 1},
    {OperationType::DepthwiseConv2d, 4, "DEPTHWISE_CONV_2D", 1},
    {OperationType::DepthToSpace, 5, "DEPTH_TO_SPACE", 1},
    {OperationType::Dequantize, 6, "DEQUANTIZE", 1},
    {OperationType::EmbeddingLookup, 7, "EMBEDDING_LOOKUP", 1},
    {OperationType::Floor, 8, "FLOOR", 1},
    {OperationType::FullyConnected, 9, "FULLY_CONNECTED", 1},
    {OperationType::HashtableLookup, 10, "HASHTABLE_LOOKUP", 1},
    {OperationType::L2Normalization, 11, "L2_NORMALIZATION", 1},
    {OperationType::L2Pool2d, 12, "L2_POOL_2D", 1},
    {OperationType::LocalResponseNormalization, 13, "LOCAL_RESPONSE_NORMALIZATION", 1},
    {OperationType::Logistic, 14, "LOGISTIC", 1},
    {OperationType::LshProjection, 15, "LSH_PROJECTION", 1},
    {OperationType::Lstm, 16, "LSTM", 1},
    {OperationType::MaxPool2d, 17, "MAX_POOL_2D", 1},
    {OperationType::Mul, 18, "MUL", 1},
    {OperationType::Relu, 19, "RELU", 1},
    {OperationType::Relu1, 20, "RELU1", 1},
    {OperationType::Relu6, 21, "RELU6", 1},
    {OperationType::Reshape, 22, "RESHAPE", 1},
    {OperationType::ResizeBilinear, 23, "RESIZE_BILINEAR", 1},
    {OperationType::Rnn, 24, "RNN", 1},
    {OperationType::Softmax, 25, "SOFTMAX", 1},
    {OperationType::SpaceToDepth, 26, "SPACE_TO_DEPTH", 1},
    {OperationType::Svdf, 27, "SVDF", 1},
    {OperationType::Tanh, 28, "TANH", 1},
    {OperationType::BatchToSpaceNd, 29, "BATCH_TO_SPACE_ND", 2},
    {OperationType::Div, 30, "DIV", 2},
    {OperationType::Mean, 31, "MEAN", 2},
    {OperationType::Pad, 32, "PAD", 2},
    {OperationType::SpaceToBatchNd, 33, "SPACE_TO_BATCH_ND", 2},
    {OperationType::Squeeze, 34, "SQUEEZE", 2},
    {OperationType::StridedSlice, 35, "STRIDED_SLICE", 2},
    {OperationType::Sub, 36, "SUB", 2},
    {OperationType::Transpose, 37, "TRANSPOSE", 2},
    {OperationType::Abs, 38, "ABS", 3},
    {OperationType::Argmax, 39, "ARGMAX", 3},
    {OperationType::Argmin, 40, "ARGMIN", 3},
    {OperationType::AxisAlignedBboxTransform, 41, "AXIS_ALIGNED_BBOX_TRANSFORM", 3},
    {OperationType::BidirectionalSequenceLstm, 42, "BIDIRECTIONAL_SEQUENCE_LSTM", 3},
    {OperationType::BidirectionalSequenceRnn, 43, "BIDIRECTIONAL_SEQUENCE_RNN", 3},
    {OperationType::BoxWithNmsLimit, 44, "BOX_WITH_NMS_LIMIT", 3},
    {OperationType::Cast, 45, "CAST", 3},
    {OperationType::ChannelShuffle, 46, "CHANNEL_SHUFFLE", 3},
    {OperationType::DetectionPostprocessing, 47, "DETECTION_POSTPROCESSING", 3},
    {OperationType::Equal, 48, "EQUAL", 3},
    {OperationType::Exp, 49, "EXP", 3},
    {OperationType::ExpandDims, 50, "EXPAND_DIMS", 3},
    {OperationType::Gather, 51, "GATHER", 3},
    {OperationType::GenerateProposals, 52, "GENERATE_PROPOSALS", 3},
    {OperationType::Greater, 53, "GREATER", 3},
    {OperationType::GreaterEqual, 54, "GREATER_EQUAL", 3},
    {OperationType::GroupedConv2d, 55, "GROUPED_CONV_2D", 3},
    {OperationType::HeatmapMaxKeypoint, 56, "HEATMAP_MAX_KEYPOINT", 3},
    {OperationType::InstanceNormalization, 57, "INSTANCE_NORMALIZATION", 3},
    {OperationType::Less, 58, "LESS", 3},
    {OperationType::LessEqual, 59, "LESS_EQUAL", 3},
    {OperationType::Log, 60, "LOG", 3},
    {OperationType::LogicalAnd, 61, "LOGICAL_AND", 3},
    {OperationType::LogicalNot, 62, "LOGICAL_NOT", 3},
    {OperationType::LogicalOr, 63, "LOGICAL_OR", 3},
    {OperationType::LogSoftmax, 64, "LOG_SOFTMAX", 3},
    {OperationType::Maximum, 65, "MAXIMUM", 3},
    {OperationType::Minimum, 66, "MINIMUM", 3},
    {OperationType::Neg, 67, "NEG", 3},
    {OperationType::NotEqual, 68, "NOT_EQUAL", 3},
    {OperationType::PadV2, 69, "PAD_V2", 3},
    {OperationType::Pow, 70, "POW", 3},
    {OperationType::Prelu, 71, "PRELU", 3},
    {OperationType::Quantize, 72, "QUANTIZE", 3},
    {OperationType::Quantized16bitLstm, 73, "QUANTIZED_16BIT_LSTM", 3},
    {OperationType::RandomMultinomial, 74, "RANDOM_MULTINOMIAL", 3},
    {OperationType::ReduceAll, 75, "REDUCE_ALL", 3},
    {OperationType::ReduceAny, 76, "REDUCE_ANY", 3},
    {OperationType::ReduceMax, 77, "REDUCE_MAX", 3},
    {OperationType::ReduceMin, 78, "REDUCE_MIN", 3},
    {OperationType::ReduceProd, 79, "REDUCE_PROD", 3},
    {OperationType::ReduceSum, 80, "REDUCE_SUM", 3},
    {OperationType::RoiAlign, 81, "ROI_ALIGN", 3},
    {OperationType::RoiPooling, 82, "ROI_POOLING", 3},
    {OperationType::Rsqrt, 83, "RSQRT", 3},
    {OperationType::Select, 84, "SELECT", 3},
    {OperationType::Sin, 85, "SIN", 3},
    {OperationType::Slice, 86, "SLICE", 3},
    {OperationType::Split, 87, "SPLIT", 3},
    {OperationType::Sqrt, 88, "SQRT", 3},
    {OperationType::Tile, 89, "TILE", 3},
    {OperationType::TopkV2, 90, "TOPK_V2", 3},
    {OperationType::TransposeConv2d, 91, "TRANSPOSE_CONV_2D", 3},
    {OperationType::UnidirectionalSequenceLstm, 92, "UNIDIRECTIONAL_SEQUENCE_LSTM", 3},
    {OperationType::UnidirectionalSequenceRnn, 93, "UNIDIRECTIONAL_SEQUENCE_RNN", 3},
    {OperationType::ResizeNearestNeighbor, 94, "RESIZE_NEAREST_NEIGHBOR", 3},
    {OperationType::QuantizedLstm, 95, "QUANTIZED_LSTM", 4},
    {OperationType::If, 96, "IF", 4},
    {OperationType::While, 97, "WHILE", 4},
    {OperationType::Elu, 98, "ELU", 4},
    {OperationType::HardSwish, 99, "HARD_SWISH", 4},
    {OperationType::Fill, 100, "FILL", 4},
    {OperationType::Rank, 101, "RANK", 4},
    {OperationType::BatchMatmul, 102, "BATCH_MATMUL", 6},
    {OperationType::Pack, 103, "PACK", 6},
    {OperationType::MirrorPad, 104, "MIRROR_PAD", 7},
    {OperationType::Reverse, 105, "REVERSE", 7},
};

enum class Kind { Scalar, Tensor, Other };

struct ExpectedType {
  OperandType type;
  int32_t code;
  std::string_view name;
  uint32_t bytes;
  uint32_t level;
  Kind kind;
};

constexpr ExpectedType kExpectedTypes[] = {
    {OperandType::Float32, 0, "FLOAT32", 4, 1, Kind::Scalar},
    {OperandType::Int32, 1, "INT32", 4, 1, Kind::Scalar},
    {OperandType::UInt32, 2, "UINT32", 4, 1, Kind::Scalar},
    {OperandType::TensorFloat32, 3, "TENSOR_FLOAT32", 4, 1, Kind::Tensor},
    {OperandType::TensorInt32, 4, "TENSOR_INT32", 4, 1, Kind::Tensor},
    {OperandType::TensorQuant8Asymm, 5, "TENSOR_QUANT8_ASYMM", 1, 1, Kind::Tensor},
    {OperandType::Bool, 6, "BOOL", 1, 3, Kind::Scalar},
    {OperandType::TensorQuant16Symm, 7, "TENSOR_QUANT16_SYMM", 2, 3, Kind::Tensor},
    {OperandType::TensorFloat16, 8, "TENSOR_FLOAT16", 2, 3, Kind::Tensor},
    {OperandType::TensorBool8, 9, "TENSOR_BOOL8", 1, 3, Kind::Tensor},
    {OperandType::Float16, 10, "FLOAT16", 2, 3, Kind::Scalar},
    {OperandType::TensorQuant8SymmPerChannel, 11, "TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, 3, Kind::Tensor},
    {OperandType::TensorQuant16Asymm, 12, "TENSOR_QUANT16_ASYMM", 2, 3, Kind::Tensor},
    {OperandType::TensorQuant8Symm, 13, "TENSOR_QUANT8_SYMM", 1, 3, Kind::Tensor},
    {OperandType::TensorQuant8AsymmSigned, 14, "TENSOR_QUANT8_ASYMM_SIGNED", 1, 4, Kind::Tensor},
    {OperandType::Subgraph, 15, "SUBGRAPH", 0, 4, Kind::Other},
};

TEST(OperationTypeTest, HasPublishedCodesNamesAndLevels) {
  ASSERT_EQ(kOperations.size(), std::size(kExpectedOperations));
  for (const ExpectedOperation &expected : kExpectedOperations) {
    EXPECT_EQ(static_cast<int32_t>(expected.type), expected.code) << expected.name;
    EXPECT_EQ(nameOf(expected.type), expected.name);
    EXPECT_EQ(infoOf(expected.type)->level, expected.level) << expected.name;
  }
}

TEST(OperandTypeTest, HasPublishedCodesNamesSizesAndLevels) {
  ASSERT_EQ(kOperandTypes.size(), std::size(kExpectedTypes));
  for (const ExpectedType &expected : kExpectedTypes) {
    EXPECT_EQ(static_cast<int32_t>(expected.type), expected.code) << expected.name;
    EXPECT_EQ(nameOf(expected.type), expected.name);
    EXPECT_EQ(elementBytes(expected.type), expected.bytes) << expected.name;
    EXPECT_EQ(infoOf(expected.type)->level, expected.level) << expected.name;
    EXPECT_EQ(isScalar(expected.type), expected.kind == Kind::Scalar) << expected.name;
    EXPECT_EQ(isTensor(expected.type), expected.kind == Kind::Tensor) << expected.name;
  }
}

TEST(OperationTypeTest, UnknownCodesHaveNoRow) {
  for (int32_t code : {-1, 106, 10000, 0x10000, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(infoOf(static_cast<OperationType>(code)), nullptr) << code;
    EXPECT_EQ(nameOf(static_cast<OperationType>(code)), "") << code;
  }
}

TEST(OperandTypeTest, UnknownCodesHaveNoRow) {
  for (int32_t code : {-1, 16, 10000, 0x10003, INT32_MIN, INT32_MAX}) {
    const auto type = static_cast<OperandType>(code);
    EXPECT_EQ(infoOf(type), nullptr) << code;
    EXPECT_EQ(nameOf(type), "") << code;
    EXPECT_EQ(elementBytes(type), 0u) << code;
    EXPECT_FALSE(isScalar(type) || isTensor(type)) << code;
  }
}

/// Lower-case letters and digits only.
std::string lettersOf(std::string_view name) {
  std::string letters;
  for (char letter : name)
    if (letter != '_')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

TEST(CodesTest, EnumeratorsAreNamesInCamelCase) {
#define AVOCET_NNAPI_OPERATION(CODE, ENUMERATOR, NAME, LEVEL) EXPECT_EQ(lettersOf(#ENUMERATOR), lettersOf(NAME));
#include "avocet/nnapi/Operations.inc"
#define AVOCET_NNAPI_OPERAND_TYPE(CODE, ENUMERATOR, NAME, BYTES, LEVEL)                                                \
  EXPECT_EQ(lettersOf(#ENUMERATOR), lettersOf(NAME));
#include "avocet/nnapi/OperandTypes.inc"
}

} // namespace
} // namespace avocet::nnapi
