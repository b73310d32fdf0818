//===- ShapeOperators.cpp - Shapes, slices and axes - *- C++ -*-===//
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

constexpr int32_t kMaxListed = 8; ///< elements of the lists in the structures

Status fillList(std::span<const int32_t, kMaxListed> from, int32_t count, std::vector<int32_t> &to) {
  if (count < 0 || count > kMaxListed)
    return unsupported(fmt::format("a list of {} axes, must be at most {}", count, kMaxListed));
  to.assign(from.begin(), from.begin() + count);
  return Status::ok();
}

Status fillReshape(const abi::ReshapeParameters &from, int32_t, tflite::ReshapeOptionsT &to) {
  return fillList(from.shape, from.rank, to.new_shape);
}

Status fillSqueeze(const abi::SqueezeParameters &from, int32_t, tflite::SqueezeOptionsT &to) {
  return fillList(from.axes, from.count, to.squeeze_dims);
}

/// `since`: the version that added the last member.
template <typename Options, int32_t since>
Status fillResize(const abi::ResizeParameters &from, int32_t version, Options &to) {
  to.align_corners = from.alignsCorners;
  if (version >= since)
    to.half_pixel_centers = from.hasHalfPixelCenters;
  return Status::ok();
}

template <typename Options> Status fillBlock(const abi::BlockParameters &from, int32_t, Options &to) {
  to.block_size = from.blockSize;
  return Status::ok();
}

Status fillGather(const abi::GatherParameters &from, int32_t version, tflite::GatherOptionsT &to) {
  to.axis = from.axis;
  if (version >= 5)
    to.batch_dims = from.batchAxes;
  return Status::ok();
}

Status fillSlice(const abi::StridedSliceParameters &from, int32_t version, tflite::StridedSliceOptionsT &to) {
  to.begin_mask = from.beginMask;
  to.end_mask = from.endMask;
  to.ellipsis_mask = from.ellipsisMask;
  to.new_axis_mask = from.newAxisMask;
  to.shrink_axis_mask = from.shrinkAxisMask;
  if (version >= 8)
    to.offset = from.isOffset;
  return Status::ok();
}

template <typename Options> Status fillSplit(const abi::SplitParameters &from, int32_t, Options &to) {
  to.num_splits = from.count;
  return Status::ok();
}

Status fillPack(const abi::PackParameters &from, int32_t, tflite::PackOptionsT &to) {
  to.values_count = from.count;
  to.axis = from.axis;
  return Status::ok();
}

Status fillUnpack(const abi::PackParameters &from, int32_t, tflite::UnpackOptionsT &to) {
  to.num = from.count;
  to.axis = from.axis;
  return Status::ok();
}

Status fillOneHot(const abi::AxisParameters &from, int32_t, tflite::OneHotOptionsT &to) {
  to.axis = from.axis;
  return Status::ok();
}

Status fillMirrorPad(const abi::MirrorPadParameters &from, int32_t, tflite::MirrorPadOptionsT &to) {
  if (from.mode != abi::kMirrorReflect && from.mode != abi::kMirrorSymmetric)
    return unsupported(fmt::format("mode {}, must be 1 (REFLECT) or 2 (SYMMETRIC)", from.mode));
  to.mode = from.mode == abi::kMirrorReflect ? tflite::MirrorPadMode::REFLECT : tflite::MirrorPadMode::SYMMETRIC;
  return Status::ok();
}

template <typename Options> Status fillType(const abi::TypeParameters &from, int32_t, Options &to) {
  return setType(from.type, to.output_type);
}

Status fillShape(const abi::TypeParameters &from, int32_t, tflite::ShapeOptionsT &to) {
  return setType(from.type, to.out_type);
}

Status fillReverse(const abi::ReverseSequenceParameters &from, int32_t, tflite::ReverseSequenceOptionsT &to) {
  to.seq_dim = from.sequenceAxis;
  to.batch_dim = from.batchAxis;
  return Status::ok();
}

template <typename Options> constexpr auto kBlock = writeOptions<abi::BlockParameters, Options, fillBlock<Options>>;
template <typename Options> constexpr auto kSplit = writeOptions<abi::SplitParameters, Options, fillSplit<Options>>;
template <typename Options> constexpr auto kType = writeOptions<abi::TypeParameters, Options, fillType<Options>>;
template <typename Options>
constexpr auto kResize = writeOptions<abi::ResizeParameters, Options, fillResize<Options, 3>>;

constexpr OperatorRow kRows[] = {
    {BuiltinOperator::RESHAPE, 1, writeOptions<abi::ReshapeParameters, tflite::ReshapeOptionsT, fillReshape>},
    {BuiltinOperator::SQUEEZE, 2, writeOptions<abi::SqueezeParameters, tflite::SqueezeOptionsT, fillSqueeze>},
    {BuiltinOperator::RESIZE_BILINEAR, 4, kResize<tflite::ResizeBilinearOptionsT>, 3},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 4, kResize<tflite::ResizeNearestNeighborOptionsT>, 3},
    {BuiltinOperator::SPACE_TO_DEPTH, 2, kBlock<tflite::SpaceToDepthOptionsT>},
    {BuiltinOperator::DEPTH_TO_SPACE, 2, kBlock<tflite::DepthToSpaceOptionsT>},
    {BuiltinOperator::GATHER, 6, writeOptions<abi::GatherParameters, tflite::GatherOptionsT, fillGather>, 5},
    {BuiltinOperator::STRIDED_SLICE, 8,
     writeOptions<abi::StridedSliceParameters, tflite::StridedSliceOptionsT, fillSlice>},
    {BuiltinOperator::SPLIT, 4, kSplit<tflite::SplitOptionsT>},
    {BuiltinOperator::SPLIT_V, 2, kSplit<tflite::SplitVOptionsT>},
    {BuiltinOperator::PACK, 4, writeOptions<abi::PackParameters, tflite::PackOptionsT, fillPack>},
    {BuiltinOperator::UNPACK, 4, writeOptions<abi::PackParameters, tflite::UnpackOptionsT, fillUnpack>},
    {BuiltinOperator::ONE_HOT, 1, writeOptions<abi::AxisParameters, tflite::OneHotOptionsT, fillOneHot>},
    {BuiltinOperator::MIRROR_PAD, 3, writeOptions<abi::MirrorPadParameters, tflite::MirrorPadOptionsT, fillMirrorPad>},
    {BuiltinOperator::ARG_MAX, 3, kType<tflite::ArgMaxOptionsT>},
    {BuiltinOperator::ARG_MIN, 3, kType<tflite::ArgMinOptionsT>},
    {BuiltinOperator::SHAPE, 1, writeOptions<abi::TypeParameters, tflite::ShapeOptionsT, fillShape>},
    {BuiltinOperator::REVERSE_SEQUENCE, 1,
     writeOptions<abi::ReverseSequenceParameters, tflite::ReverseSequenceOptionsT, fillReverse>},
};

} // namespace

std::span<const OperatorRow> shapeOperators() { return kRows; }

} // namespace avocet::delegate
