//===- Slices.cpp - Slices of a table by coordinates ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scatter/Slices.h"

#include "common/Indices.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

Status checkSlices(const SliceTable &shape, const FeatureMap &table, const FeatureMap &indices, std::string_view name,
                   const FeatureMap &slices) {
  if (shape.depth == 0 || shape.depth > SliceTable::kMaxDepth)
    return ruleBroken("depth", shape.depth, "1 to " + std::to_string(SliceTable::kMaxDepth));
  AVOCET_RETURN_IF_ERROR(checkType("input1", indices.type, {DataType::Int32}));
  AVOCET_RETURN_IF_ERROR(checkDenseCount("input1", indices, {shape.count, shape.depth}));
  AVOCET_RETURN_IF_ERROR(checkDenseCount(name, slices, {shape.count, shape.slice}));
  const auto extent = [&](uint32_t axis) -> uint64_t { return axis < shape.depth ? shape.extents[axis] : 1; };
  return checkDenseCount(
      "input0", table,
      {extent(0), extent(1), extent(2), extent(3), extent(4), extent(5), extent(6), extent(7), shape.slice});
}

Status checkSameTable(std::string_view name, const FeatureMap &map, const FeatureMap &other) {
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {other.type}));
  return checkDenseCount(name, map, {elementCount(other)});
}

std::optional<uint64_t> sliceInside(const SliceTable &shape, const Section &section, const int32_t *coordinates) {
  uint64_t slice = 0;
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const int64_t coordinate = int64_t(coordinates[axis]) - (axis == 0 ? section.begin : 0);
    if (coordinate < 0 || coordinate >= shape.extents[axis])
      return std::nullopt;
    slice = slice * shape.extents[axis] + static_cast<uint64_t>(coordinate);
  }
  return slice;
}

std::optional<uint64_t> nearestSlice(const SliceTable &shape, const Section &section, const int32_t *coordinates) {
  std::array<int32_t, SliceTable::kMaxDepth> nearest{};
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const int64_t extent = axis == 0 ? section.length : shape.extents[axis];
    nearest[axis] = static_cast<int32_t>(std::clamp<int64_t>(coordinates[axis], 0, extent - 1));
  }
  return sliceInside(shape, section, nearest.data());
}

/// Of the whole table.
static uint32_t extentOf(const SliceTable &shape, const Section &section, uint32_t axis) {
  return axis == 0 ? section.length : shape.extents[axis];
}

bool areInside(const SliceTable &shape, const Section &section, const int32_t *indices) {
  bool inside = true;
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const uint32_t extent = extentOf(shape, section, axis);
    const int32_t *coordinate = indices + axis;
    for (uint32_t i = 0; i < shape.count; ++i, coordinate += shape.depth)
      inside &= isInside(*coordinate, extent);
  }
  return inside;
}

std::optional<BadIndex> badCoordinate(const SliceTable &shape, const Section &section, const int32_t *coordinates) {
  for (uint32_t axis = 0; axis < shape.depth; ++axis) {
    const uint32_t extent = extentOf(shape, section, axis);
    if (!isInside(coordinates[axis], extent))
      return BadIndex{coordinates[axis], extent};
  }
  return std::nullopt;
}

} // namespace avocet::kernels
