//===- OnnxSignal.cpp - Spectra and windows ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Spectra.h"
#include "OnnxMatrix.h"

#include <map>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr Cosines kHann = {{0.5, -0.5, 0}}, kHamming = {{25.0 / 46, -21.0 / 46, 0}}, kBlackman = {{0.42, -0.5, 0.08}};

/// A constant, in the type of the attribute.
LogicalResult finishAsType(OnnxOperation &op, Value constant) {
  const Type element = op.elementOfType(op.integer("output_datatype", onnx_file::TensorProto::FLOAT), "result");
  return element ? op.finish(castTo(op, constant, element)) : failure();
}

template <const Cosines &cosines> LogicalResult convertWindow(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> size = op.integers(0, "size", 1);
  return failed(size) ? failure()
                      : finishAsType(op, cosineWindow(op, cosines, size->front(), op.flag("periodic", true)));
}

LogicalResult convertMelWeights(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> mels = op.integers(0, "num_mel_bins", 1), points = op.integers(1, "dft_length", 1),
                                  rate = op.integers(2, "sample_rate", 1);
  FailureOr<float> low = op.scalar(3, "lower_edge_hertz"), high = op.scalar(4, "upper_edge_hertz");
  if (failed(mels) || failed(points) || failed(rate) || failed(low) || failed(high))
    return failure();
  return finishAsType(op, melWeights(op, {mels->front(), points->front(), rate->front(), *low, *high}));
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
  Value rows =
      reshape(op, input, {tensorOf(input).getNumElements() / (transform.points * parts), transform.points * parts});
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
