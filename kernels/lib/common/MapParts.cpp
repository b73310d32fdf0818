//===- MapParts.cpp - Commands for a part of their results ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/MapParts.h"

#include "common/Shares.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

uint32_t extentOf(const FeatureMap &map, MapAxis axis) {
  return axis == MapAxis::Rows ? map.height : axis == MapAxis::Columns ? map.width : map.channels;
}

FeatureMap sliceOf(FeatureMap map, MapAxis axis, uint32_t first, uint32_t count) {
  if (axis == MapAxis::Rows) {
    map.firstRow = static_cast<uint32_t>((uint64_t(map.firstRow) + first) % map.ringRows);
    map.height = count;
  } else if (axis == MapAxis::Columns) {
    map.address += first * map.pixelStride;
    map.width = count;
  } else {
    map.address += first * sizeOf(map.type);
    map.channels = count;
  }
  return map;
}

FeatureMap pixelsAsRows(FeatureMap map, uint32_t first, uint32_t count) {
  map.address = beginOf(map) + first * map.pixelStride;
  map.firstRow = 0;
  map.height = map.ringRows = count;
  map.width = 1;
  map.rowStride = map.pixelStride;
  return map;
}

SramAddress beginOf(const FeatureMap &map) { return map.address + map.firstRow * map.rowStride; }

FeatureMap denseSlices(FeatureMap map, uint64_t elements, uint32_t first, uint32_t count) {
  const auto bytes = static_cast<uint32_t>(elements * sizeOf(map.type));
  map.address = beginOf(map) + first * bytes;
  map.height = map.ringRows = count;
  map.width = 1;
  map.channels = static_cast<uint32_t>(elements);
  map.firstRow = 0;
  map.rowStride = map.pixelStride = bytes;
  return map;
}

FeatureMap matrixColumns(FeatureMap map, uint32_t rows, uint32_t columns, uint32_t first, uint32_t count) {
  if (map.height != rows || map.width != 1 || map.channels != columns) {
    map.address = beginOf(map);
    map.firstRow = 0;
    map.height = map.ringRows = rows;
    map.width = 1;
    map.channels = columns;
    map.rowStride = map.pixelStride = columns * sizeOf(map.type);
  }
  return sliceOf(map, MapAxis::Channels, first, count);
}

std::optional<MapAxis> outermostAxis(const FeatureMap &map, MapAxis innermost) {
  for (MapAxis axis : {MapAxis::Rows, MapAxis::Columns, MapAxis::Channels})
    if (axis <= innermost && extentOf(map, axis) > 1)
      return axis;
  return std::nullopt;
}

uint32_t AlignedKernel::partsOf(const DspCommand &command) const {
  const FeatureMap &output = command.outputs[0];
  const std::optional<MapAxis> axis = outermostAxis(output, innermostAxis(command));
  return axis ? extentOf(output, *axis) : 1;
}

DspCommand AlignedKernel::partOf(const DspCommand &command, uint32_t first, uint32_t count) const {
  const std::optional<MapAxis> axis = outermostAxis(command.outputs[0], innermostAxis(command));
  DspCommand part = command;
  if (!axis)
    return part;
  const uint32_t extent = extentOf(command.outputs[0], *axis);
  const bool becomesRows = *axis == MapAxis::Columns &&
                           std::ranges::all_of(command.inputs, [](const FeatureMap &map) { return map.height == 1; });
  auto select = [&](FeatureMap &map) {
    map = becomesRows ? pixelsAsRows(map, first, count) : sliceOf(map, *axis, first, count);
  };
  for (FeatureMap &input : part.inputs)
    if (extentOf(input, *axis) == extent)
      select(input);
  for (FeatureMap &output : part.outputs)
    select(output);
  return part;
}

std::vector<CommandBody> AlignedKernel::divide(const Target &, const CommandBody &body, uint32_t most) const {
  const auto &command = std::get<DspCommand>(body);
  std::vector<CommandBody> shares;
  forEachShare(partsOf(command), 1, most,
               [&](uint32_t first, uint32_t count) { shares.push_back(partOf(command, first, count)); });
  return shares;
}

} // namespace avocet::kernels
