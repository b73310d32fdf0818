//===- Spectra.cpp - Constants of signal processing --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Spectra.h"

#include "Constants.h"
#include "Create.h"
#include "MatrixProduct.h"
#include "Moves.h"

#include <cmath>
#include <numbers>
#include <vector>

using namespace mlir;

namespace avocet::compiler {

using std::numbers::pi;

Value cosineWindow(ImportedOperation &op, const Cosines &cosines, int64_t count, bool isPeriodic) {
  if (count < 1 || count > INT32_MAX)
    return op.refuse("size", "is positive", Twine(count));
  if (failed(checkComputedBytes(op, "result", RankedTensorType::get({count}, op.builder().getF32Type()))))
    return {};
  const auto period = static_cast<double>(isPeriodic ? count : std::max<int64_t>(count - 1, 1));
  std::vector<float> elements;
  for (int64_t i = 0; i < count; ++i) {
    const double angle = 2 * pi * static_cast<double>(i) / period;
    elements.push_back(static_cast<float>(cosines.weights[0] + cosines.weights[1] * std::cos(angle) +
                                          cosines.weights[2] * std::cos(2 * angle)));
  }
  return float32Constant(op, {count}, elements);
}

Value melWeights(ImportedOperation &op, const MelScale &scale) {
  const auto [mels, points, rate, low, high] = scale;
  const int64_t bins = points / 2 + 1;
  constexpr int64_t kMost = 1 << 20;
  if (mels < 1 || mels > kMost || points < 1 || points > kMost || rate < 1)
    return op.malformed("has a number of bins, points or samples that is not from 1 to " + Twine(kMost));
  const auto type = RankedTensorType::get({bins, mels}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, "result", type)))
    return {};
  const auto melOf = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double first = melOf(low), step = (melOf(high) - first) / static_cast<double>(mels + 2);
  const auto binOf = [&](int64_t i) {
    const double hertz = 700 * (std::pow(10, (first + static_cast<double>(i) * step) / 2595) - 1);
    const double bin = std::floor(static_cast<double>(points + 1) * hertz / static_cast<double>(rate));
    return static_cast<int64_t>(std::clamp<double>(bin, 0, static_cast<double>(bins)));
  };
  std::vector<float> weights(static_cast<size_t>(bins * mels), 0);
  const auto set = [&](int64_t bin, int64_t mel, int64_t part, int64_t whole) {
    if (bin < bins)
      weights[bin * mels + mel] = static_cast<float>(part) / static_cast<float>(whole);
  };
  for (int64_t mel = 0; mel < mels; ++mel) {
    const int64_t from = binOf(mel), center = binOf(mel + 1), to = binOf(mel + 2);
    if (from == center)
      set(center, mel, 1, 1);
    for (int64_t bin = from; from < center && bin <= center; ++bin)
      set(bin, mel, bin - from, center - from);
    for (int64_t bin = center; bin < to; ++bin)
      set(bin, mel, to - bin, to - center);
  }
  return float32Constant(op, {bins, mels}, weights);
}

namespace {

/// The matrix that makes the parts of each result out of the parts of some elements, after which zeros follow: [results
/// * parts of a result, elements * parts]. The parts of a number are beside each other, or all real parts come first.
struct FourierMatrix {
  Transform transform;
  int64_t elements, parts;
  bool isInterleaved;

  int64_t made() const { return transform.toReal() ? 1 : 2; }
  int64_t rows() const { return transform.results() * made(); }
  int64_t columns() const { return elements * parts; }
  int64_t row(int64_t k, int64_t part) const {
    return isInterleaved ? k * made() + part : part * transform.results() + k;
  }
  int64_t column(int64_t n, int64_t part) const { return isInterleaved ? n * parts + part : part * elements + n; }

  void write(float *factors) const {
    const int64_t points = transform.points;
    const double scale = transform.inverse ? 1 / static_cast<double>(points) : 1;
    for (int64_t k = 0; k < transform.results(); ++k)
      for (int64_t n = 0; n < elements; ++n) {
        // The angle is exact modulo a turn. A conjugate element doubles the real part.
        const double angle = 2 * pi * static_cast<double>(k * n % points) / static_cast<double>(points);
        const double weight = transform.toReal() && n != 0 && 2 * n != points ? 2 * scale : scale;
        const double cosine = weight * std::cos(angle), sine = weight * std::sin(angle) * (transform.inverse ? -1 : 1);
        const double entries[2][2] = {{cosine, sine}, {-sine, cosine}}; // of the real part, of the imaginary one
        for (int64_t to = 0; to < made(); ++to)
          for (int64_t from = 0; from < parts; ++from)
            factors[row(k, to) * columns() + column(n, from)] = static_cast<float>(entries[to][from]);
      }
  }
};

} // namespace

static Value constantOf(ImportedOperation &op, const FourierMatrix &matrix) {
  RankedTensorType type = boundedType(op, {matrix.rows(), matrix.columns()}, op.builder().getF32Type());
  if (!type || failed(checkComputedBytes(op, "points", type)))
    return {};
  ElementsAttr factors = computedElements(type, "fourier", [&](llvm::MutableArrayRef<char> bytes) {
    matrix.write(reinterpret_cast<float *>(bytes.data()));
  });
  return nn::ConstantOp::create(op.builder(), op.location(), type, factors);
}

Value framesOf(ImportedOperation &op, Value signal, int64_t points, int64_t step) {
  const int64_t frames = (shapeOf(signal)[1] - points) / step + 1;
  const SmallVector<int64_t> shape{frames, points};
  if (!nn::isBounded(shape) ||
      failed(checkComputedBytes(op, "frames", RankedTensorType::get(shape, op.builder().getI32Type()))))
    return {};
  SmallVector<int32_t> positions;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t i = 0; i < points; ++i)
      positions.push_back(static_cast<int32_t>(frame * step + i));
  return create<nn::GatherOp>(op, signal, int32Constant(op, shape, positions), int64_t(1));
}

Value spectrumOf(ImportedOperation &op, Value input, int64_t axis, const Transform &transform) {
  if (!input)
    return {};
  const int64_t extent = shapeOf(input)[axis], wanted = transform.operands(), parts = shapeOf(input).back();
  Amounts amounts{SmallVector<int64_t>(shapeOf(input).size(), 0), SmallVector<int64_t>(shapeOf(input).size(), 0)};
  amounts.high[axis] = std::max<int64_t>(wanted - extent, 0);
  input = pad(op, partOf(op, input, axis, 0, std::min(wanted, extent)), amounts);
  input = input ? moveAxis(op, input, axis, amounts.low.size() - 2) : input;
  if (!input)
    return {};
  SmallVector<int64_t> result(shapeOf(input));
  Value rows = reshape(op, input, {tensorOf(input).getNumElements() / (wanted * parts), wanted * parts});
  Value weights = constantOf(op, {transform, wanted, parts, /*isInterleaved=*/true});
  Value product = matrixProduct(op, rows, weights, false, /*transposeRhs=*/true);
  result.back() = transform.toReal() ? 1 : 2;
  result.end()[-2] = transform.results();
  return moveAxis(op, reshape(op, product, result), result.size() - 2, axis);
}

Complex transformColumns(ImportedOperation &op, const Complex &lines, int64_t points) {
  const auto axis = static_cast<int64_t>(shapeOf(lines.real).size()) - 2;
  Value matrix = constantOf(op, {{points, false, false}, shapeOf(lines.real)[axis], 2, /*isInterleaved=*/false});
  Value parts = concatenate(op, {lines.real, lines.imaginary}, axis);
  Value product = createPair<nn::BatchMatmulOp>(op, matrix, parts, false, false, false);
  if (!product)
    return {};
  return {partOf(op, product, axis, 0, points), partOf(op, product, axis, points, points)};
}

} // namespace avocet::compiler
