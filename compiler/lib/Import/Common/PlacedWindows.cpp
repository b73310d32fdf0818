//===- PlacedWindows.cpp - Windows at places of their own -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedWindows.h"

#include "Constants.h"
#include "FoldedConstants.h"
#include "MatrixProduct.h"
#include "Sampler.h"

#include "avocet/kernels/dsp/Scatter.h"

using namespace mlir;

namespace avocet::compiler {

/// What the windows read of the channels of a part, [N, elements, rows, columns, channels].
Value DeformedConv::windowsOf(ImportedOperation &op, int64_t part) const {
  const int64_t batches = shapeOf(input)[0], channels = shapeOf(input)[1] / parts, count = elements(),
                extents[] = {rows(), columns()};
  Sampler sampler(op, channelsLast(op, partOf(op, input, 1, part * channels, channels)), Outside::Zero);
  Formula &f = sampler.formula();
  Value moves =
      reshape(op, partOf(op, offsets, 1, part * count * 2, count * 2), {batches, count, 2, extents[0], extents[1]});
  SmallVector<AxisTaps> taps;
  for (size_t axis : {0, 1}) {
    SmallVector<float> places;
    for (int64_t element = 0; element < count; ++element) {
      const int64_t row = element / window.kernel[1], column = element % window.kernel[1];
      for (int64_t i = 0; i < extents[axis]; ++i)
        places.push_back(static_cast<float>(i * window.stride[axis] - window.pad.low[axis] +
                                            (axis == 0 ? row : column) * window.dilation[axis]));
    }
    SmallVector<int64_t> shape = lineShape(3, 1 + axis, extents[axis]);
    shape[0] = count;
    Value move = elementAt(op, moves, 2, static_cast<int64_t>(axis));
    taps.push_back(sampler.linear(axis, f.add(move, float32Constant(op, shape, places))));
  }
  Value sampled = sampler.sum(taps, sampler.ownImages(4));
  return mask ? f.mul(sampled, withAxis(op, partOf(op, mask, 1, part * count, count), 4)) : sampled;
}

/// The products of one group of channels with its filters, [N, rows, columns, filters].
Value DeformedConv::product(ImportedOperation &op, Value windows, int64_t group) const {
  const int64_t filters = shapeOf(filter)[0] / groups, depth = shapeOf(filter)[1], width = depth * elements();
  const auto ofGroup = [&](Value value) { return partOf(op, value, 0, group * filters, filters); };
  Value lhs = reshape(op, partOf(op, windows, 3, group * depth, depth), {shapeOf(input)[0], rows(), columns(), width});
  Value weights = foldedIfConstant(op, reshape(op, ofGroup(filter), {filters, width}));
  return matrixProduct(op, lhs, weights, false, /*transposeRhs=*/true, ofGroup(bias));
}

Value DeformedConv::result(ImportedOperation &op) const {
  SmallVector<Value> windows, products;
  for (int64_t part = 0; part < parts; ++part)
    windows.push_back(windowsOf(op, part));
  Value all = transpose(op, concatenate(op, windows, 4), {0, 2, 3, 4, 1});
  for (int64_t group = 0; group < groups; ++group)
    products.push_back(product(op, all, group));
  return channelsFirst(op, concatenate(op, products, 3));
}

/// The pixel of each element of each block, in the order of the blocks.
static SmallVector<int32_t> pixelsOf(ArrayRef<int64_t> extents, const SpatialWindow &window, int64_t blocks) {
  SmallVector<int32_t> pixels;
  for (int64_t i = 0; i < llvm::product_of(window.kernel) * blocks; ++i) {
    int64_t element = i / blocks, block = i % blocks, pixel = 0, stride = 1;
    for (size_t axis = extents.size(); axis-- > 0;) {
      const int64_t results = window.results(axis, extents[axis]);
      const int64_t at = block % results * window.stride[axis] + element % window.kernel[axis] * window.dilation[axis] -
                         window.pad.low[axis];
      pixel = pixel < 0 || at < 0 || at >= extents[axis] ? -1 : pixel + at * stride;
      stride *= extents[axis];
      block /= results;
      element /= window.kernel[axis];
    }
    pixels.push_back(pixel < 0 ? kernels::kLeftOut : static_cast<int32_t>(pixel));
  }
  return pixels;
}

Value imagesOfBlocks(ImportedOperation &op, Value blocks, ArrayRef<int64_t> extents, const SpatialWindow &window) {
  const int64_t batches = shapeOf(blocks)[0], channels = shapeOf(blocks)[1] / llvm::product_of(window.kernel),
                maps = batches * channels, count = shapeOf(blocks)[2];
  const SmallVector<int32_t> pixels = pixelsOf(extents, window, count);
  const auto places = static_cast<int64_t>(pixels.size());
  Value rows = transpose(op, reshape(op, blocks, {maps, places}), {1, 0});
  Value zeros = filled(op, {llvm::product_of(extents), maps}, elementOf(blocks));
  Value sums = create<nn::ScatterNdOp>(op, zeros, int32Constant(op, {places, 1}, pixels), rows, nn::ScatterKind::Sum);
  SmallVector<int64_t> shape{batches, channels};
  llvm::append_range(shape, extents);
  return reshape(op, transpose(op, sums, {1, 0}), shape);
}

} // namespace avocet::compiler
