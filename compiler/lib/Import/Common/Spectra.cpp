//===- Spectra.cpp - Constants of signal processing --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Spectra.h"

#include "Constants.h"
#include "Create.h"
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

/// The matrix that makes two parts of each result out of the parts of some elements, after which zeros follow up to
/// `points`: [results * 2, elements * parts]. The parts of a number are beside each other, or all real parts come
/// first.
struct FourierMatrix {
  Transform transform;
  int64_t elements, parts;
  bool isInterleaved;

  int64_t row(int64_t k, int64_t part) const { return isInterleaved ? k * 2 + part : part * transform.results() + k; }
  int64_t column(int64_t n, int64_t part) const { return isInterleaved ? n * parts + part : part * elements + n; }

  void write(float *factors) const {
    const auto points = static_cast<double>(transform.points);
    const double scale = transform.inverse ? 1 / points : 1;
    const auto at = [&](int64_t row, int64_t column) -> float & { return factors[row * elements * parts + column]; };
    for (int64_t k = 0; k < transform.results(); ++k)
      for (int64_t n = 0; n < elements; ++n) {
        // The angle is exact modulo a turn.
        const double angle = 2 * pi * static_cast<double>(k * n % transform.points) / points;
        const double cosine = scale * std::cos(angle), sine = scale * std::sin(angle) * (transform.inverse ? -1 : 1);
        at(row(k, 0), column(n, 0)) = static_cast<float>(cosine);
        at(row(k, 1), column(n, 0)) = static_cast<float>(-sine);
        if (parts == 1)
          continue;
        at(row(k, 0), column(n, 1)) = static_cast<float>(sine);
        at(row(k, 1), column(n, 1)) = static_cast<float>(cosine);
      }
  }
};

} // namespace

static Value constantOf(ImportedOperation &op, const FourierMatrix &matrix) {
  RankedTensorType type =
      boundedType(op, {matrix.transform.results() * 2, matrix.elements * matrix.parts}, op.builder().getF32Type());
  if (!type || failed(checkComputedBytes(op, "points", type)))
    return {};
  ElementsAttr factors = computedElements(type, "fourier", [&](llvm::MutableArrayRef<char> bytes) {
    matrix.write(reinterpret_cast<float *>(bytes.data()));
  });
  return nn::ConstantOp::create(op.builder(), op.location(), type, factors);
}

Value spectrumOf(ImportedOperation &op, Value input, int64_t axis, const Transform &transform,
                 MatrixProduct matrixProduct) {
  if (!input)
    return {};
  const int64_t extent = shapeOf(input)[axis], parts = shapeOf(input).back();
  SmallVector<int64_t> begin(shapeOf(input).size(), 0), shape(shapeOf(input));
  shape[axis] = transform.points;
  if (extent > transform.points)
    input = slice(op, input, begin, shape);
  Amounts amounts{begin, begin};
  amounts.high[axis] = transform.points - extent;
  if (extent < transform.points)
    input = pad(op, input, amounts);
  input = input ? moveAxis(op, input, axis, shape.size() - 2) : input;
  if (!input)
    return {};
  SmallVector<int64_t> result(shapeOf(input));
  Value rows =
      reshape(op, input, {tensorOf(input).getNumElements() / (transform.points * parts), transform.points * parts});
  Value weights = constantOf(op, {transform, transform.points, parts, /*isInterleaved=*/true});
  Value product = matrixProduct(rows, weights, false, /*transposeRhs=*/true);
  result.back() = 2;
  result.end()[-2] = transform.results();
  return product ? moveAxis(op, reshape(op, product, result), result.size() - 2, axis) : product;
}

Complex transformColumns(ImportedOperation &op, const Complex &lines, int64_t points) {
  SmallVector<int64_t> shape(shapeOf(lines.real)), begin(shape.size(), 0);
  const size_t axis = shape.size() - 2;
  Value matrix = constantOf(op, {{points, false, false}, shape[axis], 2, /*isInterleaved=*/false});
  Value parts = concatenate(op, {lines.real, lines.imaginary}, static_cast<int64_t>(axis));
  Value product = createPair<nn::BatchMatmulOp>(op, matrix, parts, false, false, false);
  if (!product)
    return {};
  shape[axis] = points;
  Value real = slice(op, product, begin, shape);
  begin[axis] = points;
  return {real, slice(op, product, begin, shape)};
}

} // namespace avocet::compiler
