//===- Resize.h - Images of another size ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "resize": samples images on another grid.
//
//   inputs[0]   [batches, inputHeight, inputWidth, channels], dense; Nearest: f32, f16, i8, u8 or i16; Bilinear: f32,
//               f16 or u8; FixedBilinear: i8 or i16
//   outputs[0]  [batches, outputHeight, outputWidth, channels], dense, the same type and quantization
//
// Along each axis, output position p reads at p * scale, or with halfPixelCenters at (p + 0.5) * scale - 0.5, where
// scale is input extent / output extent, or with alignCorners (input extent - 1) / (output extent - 1) if the output
// has more than one. All computations are in float, as in TFLite's reference kernels, unless stated otherwise.
//   Nearest: the element at floor(position) (with alignCorners: round, halves away from zero), inside the image; with
//   halfPixelCenters at floor((p + 0.5) * scale).
//   Bilinear: the four elements around, weighted by the distances, summed in the reference's order. 8-bit results are
//   rounded to the nearest, halves upwards. f16 rounds once.
//   FixedBilinear: as Bilinear, with scales and positions in steps of 1/1024, sums of 64 bits, and results rounded to
//   the nearest, halves away from zero (ResizeBilinearInteger). A position beyond the last pixel reads that pixel.
//
// The words of a ResizeBand may follow the parameter words. Then outputs[0] holds only these rows of the image (and
// batches is 1); all else stays the same. The words of a ResizeSource may follow those. Then inputs[0] holds only these
// rows, which must include all rows that the band reads.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_RESIZE_H
#define AVOCET_KERNELS_DSP_RESIZE_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>
#include <vector>

namespace avocet::kernels {

inline constexpr KernelId kResizeKernel{"resize", 14};

enum class ResizeKind : uint32_t { Nearest = 0, Bilinear = 1, FixedBilinear = 2 };

struct ResizeParameters {
  ResizeKind kind = ResizeKind::Nearest;
  uint32_t alignCorners = 0;     ///< 0 or 1
  uint32_t halfPixelCenters = 0; ///< 0 or 1, not together with alignCorners
  uint32_t batches = 1;
  uint32_t inputHeight = 1, inputWidth = 1;
  uint32_t outputHeight = 1, outputWidth = 1;
  uint32_t channels = 1;

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("alignCorners", self.alignCorners);
    visit("halfPixelCenters", self.halfPixelCenters);
    visit("batches", self.batches);
    visit("inputHeight", self.inputHeight);
    visit("inputWidth", self.inputWidth);
    visit("outputHeight", self.outputHeight);
    visit("outputWidth", self.outputWidth);
    visit("channels", self.channels);
  }
};

struct ResizeBand {
  uint32_t firstRow = 0;
  uint32_t rows = 0; ///< 1 or more, firstRow + rows at most outputHeight

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("firstRow", self.firstRow);
    visit("rows", self.rows);
  }
};

struct ResizeSource {
  uint32_t firstRow = 0;
  uint32_t rows = 0; ///< 1 or more, firstRow + rows at most inputHeight

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("firstRow", self.firstRow);
    visit("rows", self.rows);
  }
};

/// The rows that a band reads. Requires extents of 1 or more and a band inside of the image.
ResizeSource sourceOf(const ResizeParameters &parameters, const ResizeBand &band);

/// Positions of FixedBilinear in a pixel.
inline constexpr int32_t kResizeSteps = 1024;

/// What one position of an axis reads.
struct ResizeSample {
  uint32_t lower, upper; ///< the neighbors; Nearest: both the same
  float fraction;        ///< Bilinear: weight of the upper one
  int32_t steps = 0;     ///< FixedBilinear: the same in 1/kResizeSteps; any value if both are the same
};

/// Those of all positions of an axis, for the kind and the pixel centers in `parameters`.
std::vector<ResizeSample> resizeSamples(const ResizeParameters &parameters, uint32_t input, uint32_t output);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_RESIZE_H
