//===- Layouts.cpp - Places of storage tensors in others --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Npu/Layouts.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler::npu {

/// Maps have rows, columns and channels; vectors have channels only.
static uint32_t channelsOf(Value map) {
  return static_cast<uint32_t>(cast<RankedTensorType>(map.getType()).getShape().back());
}

Result<firmware::WeightLayout> filterLayout(ConvOp op, const firmware::Target &target) {
  const firmware::ConvCommand &command = op.getCommand();
  const firmware::WeightDims dims{channelsOf(op.getResult()), command.window.kernelHeight, command.window.kernelWidth,
                                  channelsOf(op.getInput())};
  return firmware::WeightLayout::create(target.mac(), command.kind, dims, firmware::sizeOf(command.weightType));
}

namespace {

/// Joins in joins; each needs a step of recursion.
constexpr unsigned kDeepest = 64;

/// Extents of rows and columns, and bytes of a pixel.
struct Extents {
  int64_t height = 0, width = 0, pixelBytes = 0;
  bool operator==(const Extents &) const = default;
};

Extents extentsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  const int64_t element = firmware::sizeOf(*dataTypeOf(type.getElementType()));
  if (type.getRank() == 1)
    return {1, 1, type.getDimSize(0) * element};
  return {type.getDimSize(0), type.getDimSize(1), type.getDimSize(2) * element};
}

Layout denseLayout(Value value) {
  const Extents extents = extentsOf(value);
  return {value, 0, extents.width * extents.pixelBytes, extents.pixelBytes};
}

struct Loop {
  int64_t extent = 1, stride = 0;
};

/// The same bytes in other extents. Joins loops that continue each other, then divides them anew.
std::optional<Layout> reshaped(const Layout &layout, const Extents &from, const Extents &to) {
  if (from == to)
    return layout;
  SmallVector<Loop> loops; // innermost first
  for (Loop loop :
       {Loop{from.pixelBytes, 1}, Loop{from.width, layout.pixelStride}, Loop{from.height, layout.rowStride}})
    if (!loops.empty() && loops.back().extent * loops.back().stride == loop.stride)
      loops.back().extent *= loop.extent;
    else if (loop.extent != 1)
      loops.push_back(loop);
  auto next = loops.begin();
  const auto take = [&](int64_t extent, int64_t dense) -> std::optional<int64_t> {
    if (extent == 1)
      return dense;
    while (next != loops.end() && next->extent == 1)
      ++next;
    if (next == loops.end() || next->extent % extent != 0)
      return std::nullopt;
    const int64_t stride = next->stride;
    next->extent /= extent;
    next->stride *= extent;
    return stride;
  };
  const std::optional<int64_t> byte = take(to.pixelBytes, 1);
  const auto pixel = byte ? take(to.width, to.pixelBytes) : std::nullopt;
  const auto row = pixel ? take(to.height, to.width * *pixel) : std::nullopt;
  if (!row || *byte != 1)
    return std::nullopt;
  return Layout{layout.whole, layout.offset, *row, *pixel};
}

/// The layout of `value`, or nullopt if its elements would not be aligned.
std::optional<Layout> aligned(std::optional<Layout> layout, Value value) {
  const int64_t element = firmware::sizeOf(*dataTypeOf(cast<RankedTensorType>(value.getType()).getElementType()));
  if (layout && (layout->offset % element || layout->rowStride % element || layout->pixelStride % element))
    return std::nullopt;
  return layout;
}

/// The layout of the box that begins at `position` of a tensor and has its rows and columns at distances of `steps`.
Layout boxIn(const Layout &whole, Type type, ArrayRef<int64_t> position, ArrayRef<int64_t> steps) {
  const int64_t element = firmware::sizeOf(*dataTypeOf(cast<RankedTensorType>(type).getElementType()));
  return {whole.whole,
          whole.offset + position[0] * whole.rowStride + position[1] * whole.pixelStride + position[2] * element,
          whole.rowStride * steps[0], whole.pixelStride * steps[1]};
}

/// Where the join puts its input.
Layout inputIn(const Layout &whole, JoinOp join, unsigned index) {
  int64_t position[] = {0, 0, 0}, steps[] = {1, 1};
  if (join.getInterleaved()) {
    position[join.getAxis()] = index;
    steps[join.getAxis()] = join.step();
  } else {
    for (Value input : join.getInputs().take_front(index))
      position[join.getAxis()] += cast<RankedTensorType>(input.getType()).getDimSize(join.getAxis());
  }
  return boxIn(whole, join.getType(), position, steps);
}

Layout partIn(const Layout &whole, PartOp part) {
  const SmallVector<int64_t> position(part.getPosition()), steps(part.getSteps());
  return boxIn(whole, part.getType(), position, steps);
}

} // namespace

Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getInput();
  return value;
}

std::optional<Layout> Layouts::ofRoot(Value root) const {
  auto place = places_.find(root);
  if (place == places_.end())
    return denseLayout(root);
  JoinOp join = place->second.join;
  std::optional<Layout> layout = of(join.getResult());
  if (!layout)
    return std::nullopt;
  const Layout input = inputIn(*layout, join, place->second.index);
  return aligned(reshaped(input, extentsOf(join.getInputs()[place->second.index]), extentsOf(root)), root);
}

std::optional<Layout> Layouts::of(Value value) const {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ViewOp, PartOp>(op))
      break;
    chain.push_back(op);
    value = op->getOperand(0);
  }
  std::optional<Layout> layout = ofRoot(value);
  for (Operation *op : llvm::reverse(chain)) {
    if (!layout)
      return std::nullopt;
    if (auto part = dyn_cast<PartOp>(op))
      layout = partIn(*layout, part);
    else
      layout = aligned(reshaped(*layout, extentsOf(op->getOperand(0)), extentsOf(op->getResult(0))), op->getResult(0));
  }
  return layout;
}

LogicalResult Layouts::place(JoinOp join, unsigned index) {
  const Value root = rootOf(join.getInputs()[index]);
  Operation *op = root.getDefiningOp();
  if (!op || isa<ConstantOp, PartOp>(op) || places_.contains(root))
    return failure();
  const unsigned depth = isa<JoinOp>(op) ? depths_.lookup(root) + 1 : 1;
  if (depth > kDeepest)
    return failure();
  places_[root] = {join, index};
  if (!of(root)) {
    places_.erase(root);
    return failure();
  }
  unsigned &deepest = depths_[join.getResult()];
  deepest = std::max(deepest, depth);
  return success();
}

void Layouts::remove(JoinOp join, unsigned index) { places_.erase(rootOf(join.getInputs()[index])); }

bool Layouts::isDense(Value value) const {
  const std::optional<Layout> layout = of(value);
  const Extents extents = extentsOf(value);
  return layout && (extents.width == 1 || layout->pixelStride == extents.pixelBytes) &&
         (extents.height == 1 || layout->rowStride == extents.width * extents.pixelBytes);
}

bool Layouts::isInside(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<PartOp>(op))
      return true;
    if (!isa<ViewOp>(op))
      break;
    value = op->getOperand(0);
  }
  return places_.contains(value);
}

} // namespace avocet::compiler::npu
