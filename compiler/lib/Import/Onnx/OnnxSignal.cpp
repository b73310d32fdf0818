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
#include "OnnxGraph.h"

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
  FailureOr<int64_t> size = op.integer(0, "size");
  return failed(size) ? failure() : finishAsType(op, cosineWindow(op, cosines, *size, op.flag("periodic", true)));
}

LogicalResult convertMelWeights(OnnxOperation &op) {
  FailureOr<int64_t> mels = op.integer(0, "num_mel_bins"), points = op.integer(1, "dft_length"),
                     rate = op.integer(2, "sample_rate");
  FailureOr<float> low = op.scalar(3, "lower_edge_hertz"), high = op.scalar(4, "upper_edge_hertz");
  if (failed(mels) || failed(points) || failed(rate) || failed(low) || failed(high))
    return failure();
  return finishAsType(op, melWeights(op, {*mels, *points, *rate, *low, *high}));
}

/// The transform with as many points as the operand says, or `otherwise`.
FailureOr<Transform> transformOf(OnnxOperation &op, Value input, uint32_t position, StringRef operand,
                                 int64_t otherwise, bool onesided) {
  FailureOr<int64_t> points = op.integer(position, operand, otherwise);
  if (failed(points))
    return failure();
  const Transform transform{*points, op.flag("inverse"), op.flag("onesided", onesided)};
  if (*points < 1 || *points > INT32_MAX)
    return op.malformed("has " + Twine(*points) + " points");
  if (shapeOf(input).size() < 2 || shapeOf(input).back() > 2 ||
      (transform.onesided && shapeOf(input).back() != (transform.inverse ? 2 : 1)))
    return op.malformed("must have one real number in each element, or two if it is not onesided or inverse");
  return transform;
}

LogicalResult convertDft(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> given = op.integer(2, "axis", op.version() < 20 ? 1 : -2);
  if (!input || failed(given))
    return failure();
  const auto rank = static_cast<int64_t>(shapeOf(input).size());
  FailureOr<int64_t> axis = op.normalizedAxis(*given, rank);
  if (failed(axis))
    return failure();
  if (*axis == rank - 1)
    return op.malformed("transforms the axis of real and imaginary parts");
  const int64_t extent = shapeOf(input)[*axis];
  const bool toReal = op.flag("inverse") && op.flag("onesided");
  FailureOr<Transform> transform = transformOf(
      op, input, 1, "dft_length", toReal ? std::max<int64_t>(2 * (extent - 1), 1) : extent, /*onesided=*/false);
  return failed(transform) ? failure() : op.finish(spectrumOf(op, input, *axis, *transform));
}

/// Frames of a signal [batches, samples, parts], times a window.
LogicalResult convertStft(OnnxOperation &op) {
  Value signal = op.value(0, "signal"), window = op.optional(2, "window");
  FailureOr<int64_t> step = op.integer(1, "frame_step");
  if (signal && shapeOf(signal).size() == 2)
    signal = withAxis(op, signal, 2);
  signal = ofRank(op, signal, "a signal", 3);
  if (!signal || failed(step))
    return failure();
  const int64_t samples = shapeOf(signal)[1];
  FailureOr<Transform> transform = transformOf(op, signal, 3, "frame_length",
                                               window ? tensorOf(window).getNumElements() : samples, /*onesided=*/true);
  if (failed(transform))
    return failure();
  const int64_t points = transform->points;
  if (*step < 1 || points > samples || (window && shapeOf(window) != ArrayRef<int64_t>(points)))
    return op.malformed("has frames or a window that do not fit its signal");
  Value framed = framesOf(op, signal, points, *step);
  if (window)
    framed = multiply(op, framed, withAxis(op, window, 1));
  return op.finish(spectrumOf(op, framed, 2, *transform));
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
