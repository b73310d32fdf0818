//===- Spectra.h - Spectra and windows of signals ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_SPECTRA_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_SPECTRA_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// A window is a sum of cosines of 0, 1 and 2 periods with these weights.
struct Cosines {
  double weights[3];
};

/// The elements of a window of f32.
mlir::Value cosineWindow(ImportedOperation &op, const Cosines &cosines, int64_t count, bool isPeriodic);

struct MelScale {
  int64_t mels, points, samplesPerSecond; ///< points of the spectrum with points / 2 + 1 bins
  float low, high;                        ///< hertz
};

/// Triangles at equal distances on the mel scale, over the bins of a spectrum: f32 [bins, mels].
mlir::Value melWeights(ImportedOperation &op, const MelScale &scale);

/// Frames of so many samples of a signal [batches, samples, parts], `step` apart: [batches, frames, points, parts].
mlir::Value framesOf(ImportedOperation &op, mlir::Value signal, int64_t points, int64_t step);

struct Transform {
  int64_t points;
  bool inverse, onesided;

  /// Of a onesided spectrum, whose other half is conjugate, the inverse makes real numbers.
  bool toReal() const { return inverse && onesided; }
  int64_t half() const { return points / 2 + 1; }
  int64_t operands() const { return toReal() ? half() : points; }
  int64_t results() const { return onesided && !inverse ? half() : points; }
};

/// The transform along an axis of [..., parts], which is cut off or continues with zeros: [..., 2], or [..., 1] if it
/// is onesided and inverse. Parts are the real numbers of an element: 1 or 2. All functions return null after a report.
mlir::Value spectrumOf(ImportedOperation &op, mlir::Value input, int64_t axis, const Transform &transform);

/// Complex numbers as two tensors of f32.
struct Complex {
  mlir::Value real, imaginary;
};

/// The transform along the last axis but one, to `points` rows, as a product with a matrix. Images of several rows are
/// rare, and have few. Null values after a report.
Complex transformColumns(ImportedOperation &op, const Complex &lines, int64_t points);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SPECTRA_H
