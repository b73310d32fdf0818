//===- View.cpp - Parts of dense tensors as boxes ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include <algorithm>
#include <cstdlib>

namespace avocet::compiler::schedule {

namespace {

/// Runs with larger distances than this are copied separately.
constexpr uint64_t kCoveredBytes = 64;

class Viewer {
public:
  Viewer(uint32_t elementBytes, bool mayCover) : elementBytes_(elementBytes), mayCover_(mayCover) {}

  std::optional<View> run(int64_t offset, std::span<const ViewAxis> axes) {
    view_.strides.assign(axes.size(), 0);
    for (size_t axis : fromInside(axes)) {
      const ViewAxis &a = axes[axis];
      if (!append(a.extent, uint64_t(std::abs(a.stride))))
        return std::nullopt;
      view_.strides[axis] = a.stride < 0 ? -localStride_ : localStride_;
      if (a.stride < 0) {
        offset += int64_t(a.extent - 1) * a.stride;
        view_.offset += int64_t(a.extent - 1) * localStride_;
      }
    }
    view_.box.offset = uint64_t(offset) * elementBytes_;
    view_.box.runBytes = uint32_t(run_ * elementBytes_);
    view_.elements = view_.box.bytes() / elementBytes_;
    return std::move(view_);
  }

private:
  static std::vector<size_t> fromInside(std::span<const ViewAxis> axes) {
    std::vector<size_t> order;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      if (axes[axis].extent > 1 && axes[axis].stride != 0)
        order.push_back(axis);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const int64_t strideA = std::abs(axes[a].stride), strideB = std::abs(axes[b].stride);
      return strideA != strideB ? strideA < strideB : a < b;
    });
    return order;
  }

  /// Adds an outer axis: extends the runs or the last count, or adds a count.
  bool append(uint32_t extent, uint64_t stride) {
    if (stride <= reach_)
      return false;
    reach_ += (extent - 1) * stride;
    localStride_ = int64_t(copied());
    Box &box = view_.box;
    if (depth_ == 0 && stride == run_) {
      run_ *= extent;
    } else if (depth_ == 0 && run_ == 1 && mayCover_ && stride * elementBytes_ <= kCoveredBytes) {
      localStride_ = int64_t(stride);
      run_ = (extent - 1) * stride + 1;
    } else if (depth_ > 0 && stride * elementBytes_ == box.strides[depth_ - 1] * box.counts[depth_ - 1]) {
      box.counts[depth_ - 1] *= extent;
    } else {
      if (depth_ == box.counts.size())
        return false;
      box.counts[depth_] = extent;
      box.strides[depth_++] = stride * elementBytes_;
    }
    return true;
  }

  uint64_t copied() const { return run_ * view_.box.runs(); }

  const uint32_t elementBytes_;
  const bool mayCover_;
  View view_;
  uint64_t run_ = 1;   ///< elements
  uint64_t reach_ = 0; ///< the farthest element
  size_t depth_ = 0;   ///< counts in use
  int64_t localStride_ = 0;
};

} // namespace

std::optional<View> viewOf(uint32_t elementBytes, int64_t offset, std::span<const ViewAxis> axes, bool mayCover) {
  return Viewer(elementBytes, mayCover).run(offset, axes);
}

firmware::FeatureMap denseMap(firmware::DataType type, uint32_t height, uint32_t width, uint32_t channels,
                              int32_t zeroPoint) {
  firmware::FeatureMap map;
  map.type = type;
  map.height = map.ringRows = height;
  map.width = width;
  map.channels = channels;
  map.pixelStride = channels * firmware::sizeOf(type);
  map.rowStride = width * map.pixelStride;
  map.zeroPoint = zeroPoint;
  return map;
}

} // namespace avocet::compiler::schedule
