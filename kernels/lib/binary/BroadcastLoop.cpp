//===- BroadcastLoop.cpp - Pairs of elements under broadcasting -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "binary/BroadcastLoop.h"

namespace avocet::kernels {

using namespace firmware;

static Status checkExtent(std::string_view name, uint32_t extent, uint32_t output) {
  if (extent == 1 || extent == output)
    return Status::ok();
  return ruleBroken(name, extent, "1 or the output's, " + std::to_string(output));
}

static Status checkMapInput(std::string_view name, const FeatureMap &input, const FeatureMap &output) {
  std::string prefix(name);
  AVOCET_RETURN_IF_ERROR(checkExtent(prefix + ".height", input.height, output.height));
  AVOCET_RETURN_IF_ERROR(checkExtent(prefix + ".width", input.width, output.width));
  return checkExtent(prefix + ".channels", input.channels, output.channels);
}

static Status checkExtents(const BroadcastShape &shape, uint64_t elements) {
  if (shape.rank > BroadcastShape::kMaxAxes)
    return ruleBroken("rank", shape.rank, "at most 8");
  uint64_t product = 1;
  for (uint32_t axis = 0; axis < shape.rank; ++axis) {
    if (shape.extents[axis] == 0 || shape.extents[axis] > elements / product)
      return ruleBroken("extent", shape.extents[axis], "1 or more, and all together the output's elements");
    product *= shape.extents[axis];
  }
  return checkEqual("elements of the shape", product, "the output's", elements);
}

/// The last element is the farthest, since no stride is negative.
static Status checkStrides(std::string_view name, const BroadcastShape &shape,
                           const std::array<uint32_t, BroadcastShape::kMaxAxes> &strides, const FeatureMap &map) {
  uint64_t last = 0, elements = elementCount(map);
  for (uint32_t axis = 0; axis < shape.rank; ++axis) {
    uint64_t reach = uint64_t(shape.extents[axis] - 1) * strides[axis];
    if (reach >= elements - last)
      return ruleBroken(std::string(name) + " stride", strides[axis], "such that all elements are the input's");
    last += reach;
  }
  return checkDense(name, map);
}

Status checkBroadcast(const BroadcastShape &shape, const FeatureMap &a, const FeatureMap &b, const FeatureMap &output) {
  if (shape.rank == 0) {
    AVOCET_RETURN_IF_ERROR(checkMapInput("input0", a, output));
    return checkMapInput("input1", b, output);
  }
  AVOCET_RETURN_IF_ERROR(checkExtents(shape, elementCount(output)));
  AVOCET_RETURN_IF_ERROR(checkStrides("input0", shape, shape.stridesA, a));
  AVOCET_RETURN_IF_ERROR(checkStrides("input1", shape, shape.stridesB, b));
  return checkDense("output0", output);
}

} // namespace avocet::kernels
