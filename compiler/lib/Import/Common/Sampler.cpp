//===- Sampler.cpp - Images at computed places ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampler.h"

#include "Constants.h"
#include "MatrixProduct.h"
#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

using nn::CompareKind;
using nn::UnaryKind;

namespace {

constexpr double kCubic = -0.75;
/// Weights at distances x from 0 to 1 and from 1 to 2.
Value near(Formula &f, Value x) { return f.add(f.mul(f.mul(f.sub(f.mul(x, kCubic + 2), kCubic + 3), x), x), 1); }
Value far(Formula &f, Value x) {
  Value inner = f.add(f.mul(f.sub(f.mul(x, kCubic), 5 * kCubic), x), 8 * kCubic);
  return f.sub(f.mul(inner, x), 4 * kCubic);
}

/// With a new axis of channels.
Value lastAxis(ImportedOperation &op, Value value) {
  return value ? withAxis(op, value, shapeOf(value).size()) : value;
}

/// One coordinate of the last axis, f32.
Value coordinate(ImportedOperation &op, Value value, int64_t index) {
  return castTo(op, elementAt(op, value, shapeOf(value).size() - 1, index), op.builder().getF32Type());
}

} // namespace

Sampler::Sampler(ImportedOperation &op, Value images, Outside outside, bool mirrorsEdges)
    : op_(op), images_(images), f_(op, op.builder().getF32Type()), outside_(outside), mirrorsEdges_(mirrorsEdges) {}

Value Sampler::inside(size_t axis, Value place) {
  if (outside_ == Outside::Border)
    return clamped(axis, place);
  return outside_ == Outside::Mirror ? mirrored(axis, place) : place;
}

AxisTaps Sampler::nearest(size_t axis, Value place) { return taps(axis, {{f_.apply(UnaryKind::Round, place), {}}}); }

AxisTaps Sampler::linear(size_t axis, Value place) {
  Value low = f_.apply(UnaryKind::Floor, place), part = f_.sub(place, low);
  return taps(axis, {{low, f_.sub(1, part)}, {f_.add(low, 1), part}});
}

AxisTaps Sampler::cubic(size_t axis, Value place) {
  Value low = f_.apply(UnaryKind::Floor, place), part = f_.sub(place, low);
  return taps(axis, {{f_.sub(low, 1), far(f_, f_.add(part, 1))},
                     {low, near(f_, part)},
                     {f_.add(low, 1), near(f_, f_.sub(1, part))},
                     {f_.add(low, 2), far(f_, f_.sub(2, part))}});
}

AxisTaps Sampler::tapsOf(SampleKind kind, size_t axis, Value place) {
  switch (kind) {
  case SampleKind::Nearest:
    return nearest(axis, inside(axis, f_.apply(UnaryKind::Round, place)));
  case SampleKind::Linear:
    return linear(axis, inside(axis, place));
  case SampleKind::Cubic:
    return cubic(axis, place); // each element that it reads is brought inside, not the place between them
  }
  return {};
}

SmallVector<Value> Sampler::products(ArrayRef<AxisTaps> axes, Value batches) {
  SmallVector<Value> results;
  size_t combinations = 1;
  for (const AxisTaps &each : axes)
    combinations *= each.size();
  for (size_t number = 0; number < combinations; ++number) {
    SmallVector<Value> coordinates{batches};
    Value weight;
    size_t rest = number;
    for (const AxisTaps &each : axes) {
      const AxisTap &tap = each[rest % each.size()];
      rest /= each.size();
      coordinates.push_back(tap.index);
      weight = weight && tap.weight ? f_.mul(weight, tap.weight) : tap.weight ? tap.weight : weight;
    }
    Value picked = slicesAt(coordinates);
    results.push_back(weight ? f_.mul(picked, lastAxis(op_, weight)) : picked);
  }
  return results;
}

Value Sampler::sum(ArrayRef<AxisTaps> axes, Value batches) {
  Value total;
  for (Value each : products(axes, batches))
    total = total ? f_.add(total, each) : each;
  return total;
}

Value Sampler::ownImages(size_t rank) { return ascending(op_, lineShape(rank, 0, shapeOf(images_).front())); }

Value Sampler::slicesAt(ArrayRef<Value> coordinates) {
  BrokenRule errors(op_);
  nn::Shape shape;
  for (Value each : coordinates) {
    FailureOr<nn::Shape> common =
        each ? nn::broadcastShape(shape, shapeOf(each), errors) : FailureOr<nn::Shape>(failure());
    if (failed(common))
      return {};
    shape = *common;
  }
  auto columns = llvm::map_to_vector(coordinates, [&](Value each) {
    return lastAxis(op_, broadcastTo(op_, castTo(op_, each, op_.builder().getI32Type()), shape));
  });
  return create<nn::GatherNdOp>(op_, images_, concatenate(op_, columns, static_cast<int64_t>(shape.size())));
}

Value Sampler::clamped(size_t axis, Value place) { return f_.max(f_.min(place, extent(axis) - 1), 0); }

/// With t = (place - first) modulo 2 range: first + range - |t - range|.
Value Sampler::mirrored(size_t axis, Value place) {
  const double first = mirrorsEdges_ ? -0.5 : 0, range = extent(axis) - (mirrorsEdges_ ? 0 : 1);
  if (range <= 0)
    return f_.mul(place, 0);
  Value t = f_.apply(nn::BinaryKind::FloorMod, f_.sub(place, first), f_.constant(2 * range));
  return f_.sub(first + range, f_.apply(UnaryKind::Abs, f_.sub(t, range)));
}

AxisTaps Sampler::taps(size_t axis, AxisTaps taps) {
  const double last = extent(axis) - 1;
  for (auto &[index, weight] : taps) {
    if (outside_ == Outside::Zero) {
      Value distance = f_.apply(UnaryKind::Abs, f_.sub(index, last / 2));
      Value isInside = castTo(op_, f_.compare(distance, CompareKind::LessEqual, last / 2), op_.builder().getF32Type());
      weight = weight ? f_.mul(weight, isInside) : isInside;
    }
    index = clamped(axis, outside_ == Outside::Mirror ? mirrored(axis, index) : index);
  }
  return taps;
}

Value gridSampled(ImportedOperation &op, Value input, Value grid, SampleKind kind, Outside outside, bool corners) {
  const Type element = elementOf(input);
  const auto axes = static_cast<int64_t>(shapeOf(input).size()) - 2;
  // Elements that are only moved keep their type.
  const bool isMoved = kind == SampleKind::Nearest && outside != Outside::Zero;
  Value images = channelsLast(op, isMoved ? input : castTo(op, input, op.builder().getF32Type()));
  if (!images)
    return {};
  Sampler sampler(op, images, outside, /*mirrorsEdges=*/!corners);
  Formula &f = sampler.formula();
  SmallVector<AxisTaps> taps;
  for (int64_t axis = 0; axis < axes; ++axis) {
    const double extent = sampler.extent(axis);
    Value part = f.add(coordinate(op, grid, axes - 1 - axis), 1);
    Value place = corners ? f.mul(part, (extent - 1) / 2) : f.div(f.sub(f.mul(part, extent), 1), 2);
    taps.push_back(sampler.tapsOf(kind, axis, place));
  }
  return castTo(op, channelsFirst(op, sampler.sum(taps, sampler.ownImages(axes + 1))), element);
}

/// The place of an element of an axis in [-1, 1].
static float placeIn(int64_t i, int64_t extent, bool corners) {
  const auto x = static_cast<double>(i), count = static_cast<double>(extent);
  return static_cast<float>(corners ? (extent > 1 ? 2 * x / (count - 1) - 1 : 1) : (2 * x + 1) / count - 1);
}

Value affineGrid(ImportedOperation &op, Value matrices, ArrayRef<int64_t> extents, bool corners) {
  const int64_t count = llvm::product_of(extents), axes = shapeOf(matrices)[1];
  const SmallVector<int64_t> form{count, axes + 1};
  if (failed(checkComputedBytes(op, "size", RankedTensorType::get(form, op.builder().getF32Type()))))
    return {};
  std::vector<float> places;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (int64_t extent : llvm::reverse(extents)) {
      places.push_back(placeIn(rest % extent, extent, corners));
      rest /= extent;
    }
    places.push_back(1);
  }
  Value rows = castTo(op, float32Constant(op, form, places), elementOf(matrices));
  SmallVector<int64_t> shape{shapeOf(matrices)[0]};
  llvm::append_range(shape, extents);
  shape.push_back(axes);
  return reshape(op, matrixProduct(op, rows, matrices, false, /*transposeRhs=*/true), shape);
}

Value AlignedRegions::pooled(ImportedOperation &op, Value input) const {
  const Type f32 = op.builder().getF32Type();
  Value source = channelsLast(op, castTo(op, input, f32));
  if (!source)
    return {};
  const int64_t count = shapeOf(regions)[0];
  Sampler sampler(op, source, Outside::Border);
  Formula &f = sampler.formula();
  SmallVector<AxisTaps> taps;
  for (int64_t axis : {0, 1}) {
    const double offset = halfPixel ? 0.5 : 0;
    Value low = f.sub(f.mul(coordinate(op, regions, 1 - axis), scale), offset);
    Value high = f.sub(f.mul(coordinate(op, regions, 3 - axis), scale), offset);
    Value length = halfPixel ? f.sub(high, low) : f.max(f.sub(high, low), 1);
    const int64_t samples = bins[axis] * ratio;
    SmallVector<float> centers;
    for (int64_t i = 0; i < samples; ++i)
      centers.push_back((static_cast<float>(i) + 0.5f) / static_cast<float>(samples));
    Value line = float32Constant(op, lineShape(2 - axis, 0, samples), centers);
    Value place = f.add(f.mul(reshape(op, length, {count, 1, 1}), line), reshape(op, low, {count, 1, 1}));
    // Beyond one element outside nothing is read.
    const double middle = (sampler.extent(axis) - 1) / 2;
    Value distance = f.apply(UnaryKind::Abs, f.sub(place, middle));
    Value counts = castTo(op, f.compare(distance, CompareKind::LessEqual, middle + 1), f32);
    taps.push_back(sampler.tapsOf(SampleKind::Linear, axis, place));
    for (AxisTap &tap : taps.back())
      tap.weight = f.mul(tap.weight, counts);
  }
  Value owners = castTo(op, reshape(op, images, {count, 1, 1}), op.builder().getI32Type());
  Value sampled;
  for (Value each : sampler.products(taps, owners))
    sampled = !sampled ? each : greatest ? f.max(sampled, each) : f.add(sampled, each);
  Value split = reshape(op, sampled, {count, bins[0], ratio, bins[1], ratio, shapeOf(source)[3]});
  return channelsFirst(op, greatest ? f.reduce(nn::ReduceKind::Max, split, {2, 4}, /*keep=*/false)
                                    : f.mean(split, {2, 4}, /*keep=*/false));
}

} // namespace avocet::compiler
