//===- Sampler.cpp - Images at computed places ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampler.h"

#include "Constants.h"
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
    results.push_back(weight ? f_.mul(picked, withAxis(weight)) : picked);
  }
  return results;
}

Value Sampler::sum(ArrayRef<AxisTaps> axes, Value batches) {
  Value total;
  for (Value each : products(axes, batches))
    total = total ? f_.add(total, each) : each;
  return total;
}

Value Sampler::ownImages(size_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape.front() = shapeOf(images_).front();
  return ascending(op_, shape);
}

Value Sampler::withAxis(Value value) {
  if (!value)
    return {};
  SmallVector<int64_t> shape(shapeOf(value));
  shape.push_back(1);
  return reshape(op_, value, shape);
}

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
    return withAxis(broadcastTo(op_, castTo(op_, each, op_.builder().getI32Type()), shape));
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

} // namespace avocet::compiler
