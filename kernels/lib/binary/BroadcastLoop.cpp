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

static Status checkExtents(const BroadcastShape &shape, uint32_t elements) {
  if (shape.rank > BroadcastShape::kMaxAxes)
    return ruleBroken("rank", shape.rank, "at most 8");
  uint64_t product = 1;
  for (uint32_t axis = 0; axis < shape.rank; ++axis) {
    if (shape.extents[axis] == 0 || shape.extents[axis] > elements / product)
      return ruleBroken("extent", shape.extents[axis], "1 or more, and all together a row of the output");
    product *= shape.extents[axis];
  }
  return checkEqual("elements of the shape", product, "a row of the output", elements);
}

/// The last element has the highest index, because no stride is negative.
static Status checkStrides(const std::string &name, const BroadcastShape &shape,
                           const std::array<uint32_t, BroadcastShape::kMaxAxes> &strides, uint32_t elements) {
  uint64_t last = 0;
  for (uint32_t axis = 0; axis < shape.rank; ++axis) {
    uint64_t reach = uint64_t(shape.extents[axis] - 1) * strides[axis];
    if (reach >= elements - last)
      return ruleBroken(name + " stride", strides[axis], "such that all elements are of a row of the input");
    last += reach;
  }
  return Status::ok();
}

static Status checkShapedInput(const std::string &name, const BroadcastShape &shape,
                               const std::array<uint32_t, BroadcastShape::kMaxAxes> &strides, const FeatureMap &input,
                               const FeatureMap &output) {
  AVOCET_RETURN_IF_ERROR(checkExtent(name + ".height", input.height, output.height));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + ".width", input.width, "that of operands with a shape", 1));
  return checkStrides(name, shape, strides, input.channels);
}

Status checkBroadcast(const BroadcastShape &shape, const FeatureMap &a, const FeatureMap &b, const FeatureMap &output) {
  if (shape.rank == 0) {
    AVOCET_RETURN_IF_ERROR(checkMapInput("input0", a, output));
    return checkMapInput("input1", b, output);
  }
  AVOCET_RETURN_IF_ERROR(checkEqual("output0.width", output.width, "that of operands with a shape", 1));
  AVOCET_RETURN_IF_ERROR(checkExtents(shape, output.channels));
  AVOCET_RETURN_IF_ERROR(checkShapedInput("input0", shape, shape.stridesA, a, output));
  return checkShapedInput("input1", shape, shape.stridesB, b, output);
}

} // namespace avocet::kernels
