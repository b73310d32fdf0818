//===- Complex.cpp - Spectra and their parts ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <algorithm>

namespace avocet::differential {
namespace {

const Element kReal{TensorType::FLOAT32}, kComplex{TensorType::COMPLEX64};

struct Spectrum {
  int32_t tensor;
  Shape shape;
};

/// Images of which each extent is a little less or more than that of the transform, or the same.
Spectrum drawSpectrum(Draft &draft, int32_t mostRows, int32_t mostColumns) {
  const auto length = [&](int32_t most) {
    int32_t length = 1;
    while (length < most && !draft.oneIn(5))
      length *= 2;
    return length;
  };
  const auto near = [&](int32_t extent) {
    return draft.oneIn(2) ? extent : std::max(1, extent + draft.pick(-extent / 2, extent / 2 + 1));
  };
  // The library's transform has at least two columns.
  const int32_t rows = length(mostRows), columns = std::max(2, length(mostColumns));
  Shape shape = draft.shape(0, 2, 3);
  shape.push_back(near(rows));
  shape.push_back(near(columns));
  const int32_t image = draft.input(shape, kReal, {-2, 2}), lengths = draft.integers({rows, columns});
  shape.end()[-2] = rows;
  shape.end()[-1] = columns / 2 + 1;
  const int32_t spectrum = draft.model().addTensor(shape, kComplex);
  draft.op(BuiltinOperator::RFFT2D, {image, lengths}, {spectrum});
  return {spectrum, shape};
}

/// The library moves few kinds of complex elements.
Spectrum drawMoved(Draft &draft, Spectrum spectrum) {
  const int32_t moved = draft.pick(0, 3);
  if (moved == 0)
    return spectrum;
  const auto rank = static_cast<int32_t>(spectrum.shape.size());
  Shape shape = spectrum.shape;
  if (moved == 1) {
    const int32_t axis = draft.pick(0, rank);
    shape.insert(shape.begin() + axis, 1);
    const int32_t result = draft.model().addTensor(shape, kComplex);
    draft.op(BuiltinOperator::EXPAND_DIMS, {spectrum.tensor, draft.integer(axis)}, {result});
    return {result, shape};
  }
  if (moved == 2) {
    std::erase(shape, 1);
    const int32_t result = draft.model().addTensor(shape, kComplex);
    draft.op(BuiltinOperator::SQUEEZE, {spectrum.tensor}, {result}, tflite::SqueezeOptionsT());
    return {result, shape};
  }
  shape = {static_cast<int32_t>(numElements(shape))};
  const int32_t result = draft.model().addTensor(shape, kComplex);
  draft.op(BuiltinOperator::RESHAPE, {spectrum.tensor, draft.integers({-1})}, {result});
  return {result, shape};
}

void finish(Draft &draft, BuiltinOperator code, const Spectrum &spectrum) {
  draft.op(code, {spectrum.tensor}, {draft.output(spectrum.shape, kReal)});
}

void drawTransform(Draft &draft) {
  const Spectrum spectrum = draft.oneIn(3) ? drawSpectrum(draft, 16, 16) : drawSpectrum(draft, 1, 2048);
  const Spectrum moved = drawMoved(draft, spectrum);
  finish(draft, BuiltinOperator::REAL, moved);
  finish(draft, BuiltinOperator::IMAG, moved);
}

template <BuiltinOperator code> void drawPart(Draft &draft) { finish(draft, code, drawSpectrum(draft, 4, 64)); }

const Row kRows[] = {
    {BuiltinOperator::COMPLEX_ABS, kFloatKinds, drawPart<BuiltinOperator::COMPLEX_ABS>},
    {BuiltinOperator::IMAG, kFloatKinds, drawPart<BuiltinOperator::IMAG>},
    {BuiltinOperator::REAL, kFloatKinds, drawPart<BuiltinOperator::REAL>},
    {BuiltinOperator::RFFT2D, kFloatKinds, drawTransform},
};

} // namespace

std::span<const Row> complexRows() { return kRows; }

} // namespace avocet::differential
