//===- SignatureTable.cpp - The operands of all operations -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// {"twcI4", "t", V1_0}: inputs are a tensor of the leading type, a filter, a bias and four INT32; the output is a
// tensor of the leading type; since feature level 1. Signatures.h explains every letter.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "avocet/hal/types/Signatures.h"

#include <algorithm>
#include <array>

namespace avocet::hal {

using enum OperationType;
using enum Version;

static constexpr Form kUnary[] = {{"t", "t", V1_0}};
static constexpr Form kElu[] = {{"tF", "t", V1_3}};

static constexpr Form kIf[] = {{"bGGa*", "a+", V1_3}};
static constexpr Form kWhile[] = {{"GGa+", "a+", V1_3}};

static constexpr Form kBoxTransform[] = {{"tdit", "t", V1_2}};
static constexpr Form kNmsLimit[] = {{"triFIIFFF", "trii", V1_2}};
static constexpr Form kPostprocessing[] = {{"tttF4BI3FFB", "ttii", V1_2}};
static constexpr Form kProposals[] = {{"ttzrFFIIFFB", "tri", V1_2}};
static constexpr Form kKeypoints[] = {{"trB", "tr", V1_2}};
static constexpr Form kRoiAlign[] = {{"triIIFFIIB", "t", V1_2}};
static constexpr Form kRoiPooling[] = {{"triIIFFB", "t", V1_2}};

static constexpr Form kBinary[] = {{"tt", "t", V1_2}};
static constexpr Form kFusedBinary[] = {{"ttI", "t", V1_0}};
static constexpr Form kLaterFusedBinary[] = {{"ttI", "t", V1_1}};
static constexpr Form kComparison[] = {{"tt", "b", V1_2}};
static constexpr Form kSelect[] = {{"btt", "t", V1_2}};
static constexpr Form kDequantize[] = {{"t", "f", V1_0}, {"t", "h", V1_2}};
static constexpr Form kQuantize[] = {{"t", "u", V1_2}, {"t", "s", V1_3}};
static constexpr Form kCast[] = {{"t", "a", V1_2}};

static constexpr Form kL2Normalization[] = {{"t", "t", V1_0}, {"tI", "t", V1_2}};
static constexpr Form kLocalResponse[] = {{"tIFFF", "t", V1_0}, {"tIFFFI", "t", V1_2}};
static constexpr Form kSoftmax[] = {{"tF", "t", V1_0}, {"tFI", "t", V1_2}};
static constexpr Form kInstance[] = {{"tFFFB", "t", V1_2}};
static constexpr Form kLogSoftmax[] = {{"tFI", "t", V1_2}};

static constexpr Form kLstm[] = {{"t20IFF", "t4", V1_0}, {"t20IFFt4", "t4", V1_2}};
static constexpr Form kRnn[] = {{"t5I", "tt", V1_0}};
static constexpr Form kSvdf[] = {{"t5II", "tt", V1_0}};
// Outputs: both directions or merged; then the same with the states.
static constexpr Form kBidirectionalLstm[] = {
    {"t48IFFBBt8", "tt", V1_2}, {"t48IFFBBt8", "t", V1_2}, {"t48IFFBBt8", "t6", V1_3}, {"t48IFFBBt8", "t5", V1_3}};
static constexpr Form kBidirectionalRnn[] = {
    {"t12IBB", "tt", V1_2}, {"t12IBB", "t", V1_2}, {"t12IBB", "t4", V1_3}, {"t12IBB", "t3", V1_3}};
static constexpr Form kUnidirectionalLstm[] = {{"t20IFFBt4", "t", V1_2}, {"t20IFFBt4", "t3", V1_3}};
static constexpr Form kUnidirectionalRnn[] = {{"t5II", "t", V1_2}, {"t5II", "tt", V1_3}};
static constexpr Form kQuantized16BitLstm[] = {{"u9i4qu", "qu", V1_2}};
static constexpr Form kQuantizedLstm[] = {{"sy8q3i4yisqq4F6IF", "sqs", V1_3}};

static constexpr Form kMean[] = {{"tiI", "t", V1_1}};
static constexpr Form kReduce[] = {{"tiB", "t", V1_2}};
static constexpr Form kArgument[] = {{"tI", "i", V1_2}};

static constexpr Form kEmbedding[] = {{"it", "t", V1_0}};
static constexpr Form kHashtable[] = {{"iit", "tu", V1_0}};
static constexpr Form kLshProjection[] = {{"tntI", "i", V1_0}};
static constexpr Form kGather[] = {{"tIi", "t", V1_2}};
static constexpr Form kMultinomial[] = {{"tIi", "i", V1_2}};
static constexpr Form kTopK[] = {{"tI", "ti", V1_2}};

static constexpr Form kConcatenation[] = {{"t+I", "t", V1_0}};
static constexpr Form kBlocks[] = {{"tI", "t", V1_0}, {"tIB", "t", V1_2}};
static constexpr Form kReshape[] = {{"ti", "t", V1_0}};
static constexpr Form kBatchToSpace[] = {{"ti", "t", V1_1}, {"tiB", "t", V1_2}};
static constexpr Form kSpaceToBatch[] = {{"tii", "t", V1_1}, {"tiiB", "t", V1_2}};
static constexpr Form kWithIndices[] = {{"ti", "t", V1_1}};
static constexpr Form kStridedSlice[] = {{"tiiiI3", "t", V1_1}};
static constexpr Form kPadV2[] = {{"tiV", "t", V1_2}};
static constexpr Form kChannelShuffle[] = {{"tII", "t", V1_2}};
static constexpr Form kExpandDims[] = {{"tI", "t", V1_2}};
static constexpr Form kSlice[] = {{"tii", "t", V1_2}};
static constexpr Form kSplit[] = {{"tII", "t+", V1_2}};
static constexpr Form kTile[] = {{"ti", "t", V1_2}};
static constexpr Form kFill[] = {{"iV", "t", V1_3}};
static constexpr Form kRank[] = {{"t", "I", V1_3}};
static constexpr Form kPack[] = {{"It+", "t", AidlV2}};
static constexpr Form kMirrorPad[] = {{"tiI", "t", AidlV3}};
static constexpr Form kReverse[] = {{"ti", "t", AidlV3}};
// Sizes or factors; then the layout flag, aligned corners, half-pixel centers.
static constexpr Form kBilinear[] = {{"tII", "t", V1_0},   {"tFF", "t", V1_2},   {"tIIB", "t", V1_2},
                                     {"tFFB", "t", V1_2},  {"tIIB2", "t", V1_3}, {"tFFB2", "t", V1_3},
                                     {"tIIB3", "t", V1_3}, {"tFFB3", "t", V1_3}};
static constexpr Form kNearest[] = {{"tIIB", "t", V1_2},  {"tFFB", "t", V1_2},  {"tIIB2", "t", V1_3},
                                    {"tFFB2", "t", V1_3}, {"tIIB3", "t", V1_3}, {"tFFB3", "t", V1_3}};

// Implicit padding first, then explicit; each with the layout flag, then with two dilation factors.
static constexpr Form kConv[] = {{"twcI4", "t", V1_0}, {"twcI4B", "t", V1_2}, {"twcI4BI2", "t", V1_2},
                                 {"twcI7", "t", V1_0}, {"twcI7B", "t", V1_2}, {"twcI7BI2", "t", V1_2}};
static constexpr Form kDepthwise[] = {{"twcI5", "t", V1_0}, {"twcI5B", "t", V1_2}, {"twcI5BI2", "t", V1_2},
                                      {"twcI8", "t", V1_0}, {"twcI8B", "t", V1_2}, {"twcI8BI2", "t", V1_2}};
static constexpr Form kGrouped[] = {{"twcI5B", "t", V1_2}, {"twcI8B", "t", V1_2}};
static constexpr Form kTransposed[] = {{"twciI4B", "t", V1_2}, {"twcI7B", "t", V1_2}};
static constexpr Form kPool[] = {{"tI6", "t", V1_0}, {"tI6B", "t", V1_2}, {"tI9", "t", V1_0}, {"tI9B", "t", V1_2}};
static constexpr Form kFullyConnected[] = {{"ttcI", "t", V1_0}};
static constexpr Form kBatchMatmul[] = {{"ttBB", "t", AidlV2}};

static constexpr OperationSignature kRows[] = {
    {Logistic, "f1 u1 h3 s4", kUnary},
    {Relu, "f1 u1 h3 s4", kUnary},
    {Relu1, "f1 u1 h3 s4", kUnary},
    {Relu6, "f1 u1 h3 s4", kUnary},
    {Tanh, "f1 u3 h3 s4", kUnary},
    {Elu, "f4 h4", kElu},
    {HardSwish, "f4 h4 u4 s4", kUnary},
    {If, "", kIf, 0, checkIf},
    {While, "", kWhile, 0, checkWhile},
    {AxisAlignedBboxTransform, "f3 h3 Q3", kBoxTransform},
    {BoxWithNmsLimit, "f3 h3 u3 s4", kNmsLimit},
    {DetectionPostprocessing, "f3 h3", kPostprocessing},
    {GenerateProposals, "f3 h3 u3 s4", kProposals},
    {HeatmapMaxKeypoint, "f3 h3 u3 s4", kKeypoints},
    {RoiAlign, "f3 h3 u3 s4", kRoiAlign},
    {RoiPooling, "f3 h3 u3 s4", kRoiPooling},
    {Add, "f1 u1 h3 s4 i4", kFusedBinary},
    {Dequantize, "u1 s3 y3 p3", kDequantize},
    {Floor, "f1 h3", kUnary},
    {Mul, "f1 u1 h3 s4 i4", kFusedBinary, 0, checkProductScale},
    {Div, "f2 h3 i4", kLaterFusedBinary},
    {Sub, "f2 u3 h3 s4 i4", kLaterFusedBinary},
    {Abs, "f3 h3 i4", kUnary},
    {Cast, "f3 h3 i3 u3 b4 Q4 q4 s4 y4", kCast, 0, checkCast},
    {Equal, "b3 f3 h3 i3 u3 s4", kComparison},
    {Exp, "f3 h3", kUnary},
    {Greater, "b3 f3 h3 i3 u3 s4", kComparison},
    {GreaterEqual, "b3 f3 h3 i3 u3 s4", kComparison},
    {Less, "b3 f3 h3 i3 u3 s4", kComparison},
    {LessEqual, "b3 f3 h3 i3 u3 s4", kComparison},
    {Log, "f3 h3", kUnary},
    {LogicalAnd, "b3", kBinary},
    {LogicalNot, "b3", kUnary},
    {LogicalOr, "b3", kBinary},
    {Maximum, "f3 h3 i3 u3 s4", kBinary},
    {Minimum, "f3 h3 i3 u3 s4", kBinary},
    {Neg, "f3 h3 i3", kUnary},
    {NotEqual, "b3 f3 h3 i3 u3 s4", kComparison},
    {Pow, "f3 h3", kBinary},
    {Prelu, "f3 h3 u3 s4", kBinary},
    {Quantize, "f3 h3", kQuantize},
    {Rsqrt, "f3 h3 u7 s7", kUnary},
    {Select, "f3 h3 i3 u3 s3", kSelect, 1},
    {Sin, "f3 h3", kUnary},
    {Sqrt, "f3 h3", kUnary},
    {L2Normalization, "f1 h3 u3 s4", kL2Normalization, 0, checkRankFour},
    {LocalResponseNormalization, "f1 h3", kLocalResponse, 0, checkRankFour},
    {Softmax, "f1 u1 h3 s4", kSoftmax, 0, checkSoftmaxRank},
    {InstanceNormalization, "f3 h3", kInstance},
    {LogSoftmax, "f3 h3", kLogSoftmax},
    {Lstm, "f1 h3", kLstm},
    {Rnn, "f1 h3", kRnn},
    {Svdf, "f1 h3", kSvdf},
    {BidirectionalSequenceLstm, "f3 h3", kBidirectionalLstm},
    {BidirectionalSequenceRnn, "f3 h3", kBidirectionalRnn},
    {Quantized16bitLstm, "u3", kQuantized16BitLstm},
    {UnidirectionalSequenceLstm, "f3 h3", kUnidirectionalLstm},
    {UnidirectionalSequenceRnn, "f3 h3", kUnidirectionalRnn},
    {QuantizedLstm, "s4", kQuantizedLstm},
    {Mean, "f2 u2 h3 s4", kMean},
    {Argmax, "f3 h3 i3 u3 s3", kArgument},
    {Argmin, "f3 h3 i3 u3 s3", kArgument},
    {ReduceAll, "b3", kReduce},
    {ReduceAny, "b3", kReduce},
    {ReduceMax, "f3 h3 u3 s4", kReduce},
    {ReduceMin, "f3 h3 u3 s4", kReduce},
    {ReduceProd, "f3 h3", kReduce},
    {ReduceSum, "f3 h3", kReduce},
    {EmbeddingLookup, "f1 i3 u3 h4 s4", kEmbedding, 1},
    {HashtableLookup, "f1 i1 u1", kHashtable, 2},
    {LshProjection, "f1 h3", kLshProjection},
    {Gather, "f3 h3 i3 u3 s4", kGather},
    {RandomMultinomial, "f3 h3", kMultinomial},
    {TopkV2, "f3 h3 i3 u3 s4", kTopK},
    {Concatenation, "f1 u1 h3 s4", kConcatenation, 0, checkConcatenation},
    {DepthToSpace, "f1 u1 h3 s4", kBlocks},
    {Reshape, "f1 u1 h3 s4 i6", kReshape},
    {ResizeBilinear, "f1 h3 u3 s4", kBilinear},
    {SpaceToDepth, "f1 u1 h3 s4", kBlocks},
    {BatchToSpaceNd, "f2 u2 h3 s4", kBatchToSpace},
    {Pad, "f2 u2 h3 s4", kWithIndices, 0, checkPaddedZeroPoint},
    {SpaceToBatchNd, "f2 u2 h3 s4", kSpaceToBatch, 0, checkPaddedZeroPoint},
    {Squeeze, "f2 u2 h3 s4", kWithIndices},
    {StridedSlice, "f2 u2 h3 s4", kStridedSlice},
    {Transpose, "f2 u2 h3 s4", kWithIndices},
    {ChannelShuffle, "f3 h3 u3 s4", kChannelShuffle},
    {ExpandDims, "f3 h3 i3 u3 s4", kExpandDims},
    {PadV2, "f3 h3 u3 s4", kPadV2},
    {Slice, "f3 h3 i3 u3 s4", kSlice},
    {Split, "f3 h3 i3 u3 s4", kSplit},
    {Tile, "f3 h3 i3 u3 s4", kTile},
    {ResizeNearestNeighbor, "f3 h3 u3 s4", kNearest},
    {Fill, "f4 h4 i4", kFill, kLeadingOutput},
    {Rank, "f4 h4 i4 u4 q4 b4 p4 Q4 y4 s4", kRank},
    {Pack, "f6 h6 u6 s6 i6", kPack, 1, checkPack},
    {MirrorPad, "f7 h7 u7 s7 i7", kMirrorPad, 0, checkMirrorPad},
    {Reverse, "f7 h7 u7 s7 i7", kReverse, 0, checkReverse},
    {AveragePool2d, "f1 u1 h3 s4", kPool},
    {Conv2d, "f1 u1 h3 s4", kConv, 0, checkConv},
    {DepthwiseConv2d, "f1 u1 h3 s4", kDepthwise, 0, checkDepthwiseConv},
    {FullyConnected, "f1 u1 h3 s4", kFullyConnected, 0, checkFullyConnected},
    {L2Pool2d, "f1 h3", kPool},
    {MaxPool2d, "f1 u1 h3 s4", kPool},
    {GroupedConv2d, "f3 h3 u3 s4", kGrouped, 0, checkOutputChannelScales},
    {TransposeConv2d, "f3 h3 u3 s4", kTransposed, 0, checkOutputChannelScales},
    {BatchMatmul, "f6 h6 s6 i6", kBatchMatmul},
};

std::span<const OperationSignature> allSignatures() {
  static constexpr auto kAll = [] {
    auto rows = std::to_array(kRows);
    std::ranges::sort(rows, {}, &OperationSignature::type);
    return rows;
  }();
  return kAll;
}

} // namespace avocet::hal
