//===- OnnxSignal.cpp - Spectra and windows ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Determinants.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Spectra.h"
#include "OnnxMatrix.h"

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

Value spectrum(OnnxOperation &op, Value input, int64_t axis, const Transform &transform) {
  return spectrumOf(op, input, axis, transform, [&](Value lhs, Value rhs, bool transposeLhs, bool transposeRhs) {
    return matrixProduct(op, lhs, rhs, transposeLhs, transposeRhs);
  });
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
  return failed(transform) ? failure() : op.finish(spectrum(op, input, *along, *transform));
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
  return op.finish(spectrum(op, framed, 2, *transform));
}

LogicalResult convertDet(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const ArrayRef<int64_t> shape = shapeOf(input);
  if (shape.size() < 2 || shape.back() != shape.end()[-2])
    return op.malformed("has no square matrices");
  if (shape.back() > kMostDeterminantRows)
    return op.refuse("input", "rows of a matrix", Twine(shape.back()), Twine(kMostDeterminantRows));
  return op.finish(determinants(op, input));
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
