//===- OnnxSignal.cpp - Spectra and windows ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"
#include "OnnxMatrix.h"

#include <cmath>
#include <map>
#include <numbers>

using namespace mlir;

namespace avocet::compiler {
namespace {

using std::numbers::pi;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A window is a sum of cosines of 0, 1 and 2 periods with these weights.
struct Cosines {
  double weights[3];
};
constexpr Cosines kHann = {{0.5, -0.5, 0}}, kHamming = {{25.0 / 46, -21.0 / 46, 0}}, kBlackman = {{0.42, -0.5, 0.08}};

template <const Cosines &cosines> LogicalResult convertWindow(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> size = op.integers(0, "size", 1);
  const Type element = op.elementOfType(op.integer("output_datatype", onnx_file::TensorProto::FLOAT), "result");
  const bool isPeriodic = op.flag("periodic", true);
  if (failed(size) || !element)
    return failure();
  const int64_t count = size->front();
  if (count < 1 || count > INT32_MAX)
    return op.refuse("size", "is positive", Twine(count));
  if (failed(checkComputedBytes(op, "result", RankedTensorType::get({count}, element))))
    return failure();
  const auto period = static_cast<double>(isPeriodic ? count : std::max<int64_t>(count - 1, 1));
  SmallVector<float> elements;
  for (int64_t i = 0; i < count; ++i) {
    const double angle = 2 * pi * static_cast<double>(i) / period;
    elements.push_back(static_cast<float>(cosines.weights[0] + cosines.weights[1] * std::cos(angle) +
                                          cosines.weights[2] * std::cos(2 * angle)));
  }
  return op.finish(castTo(op, float32Constant(op, {count}, elements), element));
}

/// Triangles at equal distances on the mel scale, over the bins of a spectrum.
LogicalResult convertMelWeights(OnnxOperation &op) {
  const Type element = op.elementOfType(op.integer("output_datatype", onnx_file::TensorProto::FLOAT), "result");
  SmallVector<int64_t> figures;
  for (uint32_t position : {0, 1, 2}) {
    FailureOr<SmallVector<int64_t>> figure = op.integers(position, "count", 1);
    if (failed(figure))
      return failure();
    figures.push_back(figure->front());
  }
  FailureOr<float> low = op.scalar(3, "lower_edge_hertz"), high = op.scalar(4, "upper_edge_hertz");
  if (failed(low) || failed(high) || !element)
    return failure();
  const int64_t mels = figures[0], points = figures[1], rate = figures[2], bins = points / 2 + 1;
  constexpr int64_t kMost = 1 << 20;
  if (mels < 1 || mels > kMost || points < 1 || points > kMost || rate < 1)
    return op.malformed("has a number of bins, points or samples that is not from 1 to " + Twine(kMost));
  const auto type = RankedTensorType::get({bins, mels}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, "result", type)))
    return failure();
  const auto melOf = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double first = melOf(*low), step = (melOf(*high) - first) / static_cast<double>(mels + 2);
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
  return op.finish(castTo(op, float32Constant(op, {bins, mels}, weights), element));
}

//===----------------------------------------------------------------------===//
// Spectra
//===----------------------------------------------------------------------===//

struct Transform {
  int64_t points;
  bool inverse, onesided;

  int64_t results() const { return onesided ? points / 2 + 1 : points; }
};

/// The matrix of weights [results * 2, points * parts], where parts are the real numbers of an element: 1 or 2.
Value fourierMatrix(OnnxOperation &op, const Transform &transform, int64_t parts) {
  const int64_t rows = transform.results() * 2, columns = transform.points * parts;
  if (!nn::isBounded({rows, columns}) ||
      failed(checkComputedBytes(op, "result", RankedTensorType::get({rows, columns}, op.builder().getF32Type()))))
    return {};
  std::vector<float> matrix(static_cast<size_t>(rows * columns));
  const double scale = transform.inverse ? 1 / static_cast<double>(transform.points) : 1;
  for (int64_t k = 0; k < transform.results(); ++k)
    for (int64_t n = 0; n < transform.points; ++n) {
      // The angle is exact modulo a turn.
      const double angle = 2 * pi * static_cast<double>(k * n % transform.points) / static_cast<double>(transform.points);
      const double cosine = scale * std::cos(angle), sine = scale * std::sin(angle) * (transform.inverse ? -1 : 1);
      const auto at = [&](int64_t row, int64_t part) -> float & {
        return matrix[(k * 2 + row) * columns + n * parts + part];
      };
      at(0, 0) = static_cast<float>(cosine);
      at(1, 0) = static_cast<float>(-sine);
      if (parts == 2) {
        at(0, 1) = static_cast<float>(sine);
        at(1, 1) = static_cast<float>(cosine);
      }
    }
  return float32Constant(op, {rows, columns}, matrix);
}

/// The transform along an axis of [..., parts], which is cut off or continues with zeros: [..., 2].
Value spectrumOf(OnnxOperation &op, Value input, int64_t axis, const Transform &transform) {
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
  Value rows = reshape(op, input, {tensorOf(input).getNumElements() / (transform.points * parts), transform.points * parts});
  Value product = matrixProduct(op, rows, fourierMatrix(op, transform, parts), false, /*transposeRhs=*/true);
  result.back() = 2;
  result.end()[-2] = transform.results();
  return product ? moveAxis(op, reshape(op, product, result), result.size() - 2, axis) : product;
}

FailureOr<Transform> transformOf(OnnxOperation &op, Value input, int64_t points, bool onesided) {
  const Transform transform{points, op.flag("inverse"), op.flag("onesided", onesided)};
  if (points < 1 || points > INT32_MAX)
    return op.malformed("has " + Twine(points) + " points");
  if (shapeOf(input).size() < 2 || shapeOf(input).back() > 2 ||
      (transform.onesided && (transform.inverse || shapeOf(input).back() == 2)))
    return op.malformed("must have one real number in each element, or two if it is not onesided");
  return transform;
}

LogicalResult convertDft(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const auto rank = static_cast<int64_t>(shapeOf(input).size());
  FailureOr<SmallVector<int64_t>> axis = SmallVector<int64_t>{op.version() < 20 ? 1 : -2};
  if (op.hasInput(2))
    axis = op.integers(2, "axis", 1);
  FailureOr<int64_t> along = failed(axis) ? FailureOr<int64_t>(failure()) : op.normalizedAxis(axis->front(), rank);
  if (failed(along))
    return failure();
  if (*along == rank - 1)
    return op.malformed("transforms the axis of real and imaginary parts");
  FailureOr<SmallVector<int64_t>> points = SmallVector<int64_t>{shapeOf(input)[*along]};
  if (op.hasInput(1))
    points = op.integers(1, "dft_length", 1);
  FailureOr<Transform> transform =
      failed(points) ? FailureOr<Transform>(failure()) : transformOf(op, input, points->front(), /*onesided=*/false);
  return failed(transform) ? failure() : op.finish(spectrumOf(op, input, *along, *transform));
}

/// Frames of a signal [batches, samples, parts], times a window.
LogicalResult convertStft(OnnxOperation &op) {
  Value signal = op.value(0, "signal"), window = op.hasInput(2) ? op.value(2, "window") : Value();
  FailureOr<SmallVector<int64_t>> step = op.integers(1, "frame_step", 1), length = SmallVector<int64_t>();
  if (signal && shapeOf(signal).size() == 2)
    signal = reshape(op, signal, {shapeOf(signal)[0], shapeOf(signal)[1], 1});
  signal = ofRank(op, signal, "a signal", 3);
  if (!signal || failed(step) || (op.hasInput(2) && !window))
    return failure();
  const int64_t samples = shapeOf(signal)[1];
  if (op.hasInput(3))
    length = op.integers(3, "frame_length", 1);
  else
    length = SmallVector<int64_t>{window ? tensorOf(window).getNumElements() : samples};
  FailureOr<Transform> transform =
      failed(length) ? FailureOr<Transform>(failure()) : transformOf(op, signal, length->front(), /*onesided=*/true);
  if (failed(transform))
    return failure();
  const int64_t points = transform->points, each = step->front();
  if (each < 1 || points > samples || (window && shapeOf(window) != ArrayRef<int64_t>(points)))
    return op.malformed("has frames or a window that do not fit its signal");
  const int64_t frames = (samples - points) / each + 1;
  const auto type = RankedTensorType::get({frames, points}, op.builder().getI32Type());
  if (!nn::isBounded({frames, points}) || failed(checkComputedBytes(op, "frames", type)))
    return failure();
  SmallVector<int32_t> positions;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t i = 0; i < points; ++i)
      positions.push_back(static_cast<int32_t>(frame * each + i));
  Value framed = create<nn::GatherOp>(op, signal, int32Constant(op, {frames, points}, positions), int64_t(1));
  if (window)
    framed = multiply(op, framed, reshape(op, window, {points, 1}));
  return op.finish(spectrumOf(op, framed, 2, *transform));
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// Determinants of matrices by minors of their last rows, of which each set of columns has one.
class Minors {
public:
  Minors(OnnxOperation &op, Value matrices) : op_(op), matrices_(matrices), f_(op, elementOf(matrices)) {}

  Value of(uint32_t columns) {
    Value &minor = known_[columns];
    if (minor)
      return minor;
    const int64_t row = shapeOf(matrices_).back() - llvm::popcount(columns);
    bool isNegative = false;
    for (uint32_t rest = columns; rest; rest &= rest - 1, isNegative = !isNegative) {
      const uint32_t others = columns & ~(rest & (0 - rest));
      Value product = element(row, llvm::countr_zero(rest));
      if (others)
        product = f_.mul(product, of(others));
      minor = !minor ? product : isNegative ? f_.sub(minor, product) : f_.add(minor, product);
      if (!minor)
        return {};
    }
    return minor;
  }

private:
  Value element(int64_t row, int64_t column) {
    const ArrayRef<int64_t> shape = shapeOf(matrices_);
    SmallVector<int64_t> begin(shape.size(), 0), extents(shape);
    begin.end()[-2] = row;
    begin.back() = column;
    extents.end()[-2] = extents.back() = 1;
    return reshape(op_, slice(op_, matrices_, begin, extents), shape.drop_back(2));
  }

  OnnxOperation &op_;
  Value matrices_;
  Formula f_;
  std::map<uint32_t, Value> known_;
};

LogicalResult convertDet(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const ArrayRef<int64_t> shape = shapeOf(input);
  if (shape.size() < 2 || shape.back() != shape.end()[-2])
    return op.malformed("has no square matrices");
  constexpr int64_t kMost = 6;
  if (shape.back() > kMost)
    return op.refuse("input", "rows of a matrix", Twine(shape.back()), Twine(kMost));
  return op.finish(Minors(op, input).of((1u << shape.back()) - 1));
}

constexpr OnnxConverter kConverters[] = {
    {"BlackmanWindow", 17, 1, 1, convertWindow<kBlackman>},
    {"DFT", 17, 1, 3, convertDft},
    {"Det", 11, 1, 1, convertDet},
    {"HammingWindow", 17, 1, 1, convertWindow<kHamming>},
    {"HannWindow", 17, 1, 1, convertWindow<kHann>},
    {"MelWeightMatrix", 17, 5, 5, convertMelWeights},
    {"STFT", 17, 2, 4, convertStft},
};

} // namespace

ArrayRef<OnnxConverter> onnxSignalConverters() { return kConverters; }

} // namespace avocet::compiler
