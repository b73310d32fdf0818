//===- Regions.h - Parts of an image on a grid of fixed size ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "regions": divides regions of images into bins, and makes one pixel of each bin.
//
//   inputs[0]   images [batches, height, width, channels], f32, f16, i8 or u8
//   inputs[1]   regions [regions, 4] as [x1, y1, x2, y2] in units of 1 / stride pixels; f32, f16 or u16
//   inputs[2]   i32 [regions], the image of each region
//   outputs[0]  [regions, outputHeight, outputWidth, channels], the type of inputs[0]
//
//   Largest     bins of whole pixels; a bin outside of the image is zero
//   Mean        the mean of samples at equal distances in a bin, each interpolated between four pixels
//
// Regions are run-time data: coordinates outside of the image select its border, NaN selects 0, and an image outside
// of the range selects the nearest one. Integers of Mean are weighted with 8-bit fractions as in NNAPI's reference.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_REGIONS_H
#define AVOCET_KERNELS_DSP_REGIONS_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kRegionsKernel{"regions", 66};

/// Numbers are part of the command encoding: append only.
enum class RegionKind : uint32_t { Largest = 0, Mean = 1 };
inline constexpr uint32_t kNumRegionKinds = 2;

struct RegionsParameters {
  static constexpr uint32_t kMaxSamples = 64;
  RegionKind kind = RegionKind::Largest;
  uint32_t batches = 1, height = 1, width = 1, channels = 1;
  uint32_t regions = 1, outputHeight = 1, outputWidth = 1;
  float strideY = 1, strideX = 1;        ///< positive
  uint32_t samplesY = 0, samplesX = 0;   ///< of a bin, of Mean, at most kMaxSamples; 0: one for each pixel of the bin
  float imageScale = 1, resultScale = 1; ///< of integers; equal for Largest
  float regionScale = 1;                 ///< of u16

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("batches", self.batches);
    visit("height", self.height);
    visit("width", self.width);
    visit("channels", self.channels);
    visit("regions", self.regions);
    visit("outputHeight", self.outputHeight);
    visit("outputWidth", self.outputWidth);
    visit("strideY", self.strideY);
    visit("strideX", self.strideX);
    visit("samplesY", self.samplesY);
    visit("samplesX", self.samplesX);
    visit("imageScale", self.imageScale);
    visit("resultScale", self.resultScale);
    visit("regionScale", self.regionScale);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_REGIONS_H
