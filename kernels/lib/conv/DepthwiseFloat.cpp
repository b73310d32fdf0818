//===- DepthwiseFloat.cpp - Depthwise convolution of float32 inputs -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/FeatureMapView.h"
#include "common/WindowRange.h"
#include "conv/DepthwiseConv.h"
#include "conv/OutputStage.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Computes all channels of a pixel at a time, in loops that compilers vectorise; the sums keep the reference's order.
class DepthwiseFloat {
public:
  DepthwiseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram)
      : window_(command.window), input_(command.input, sram), output_(command.output, sram), stage_(command, sram),
        channels_(command.output.channels), weights_(size_t(layout.products()) * channels_), sums_(channels_) {
    const uint8_t *packed = sram.data() + command.weights.offset;
    for (uint32_t tap = 0; tap < layout.products(); ++tap)
      for (uint32_t c = 0; c < channels_; ++c)
        std::memcpy(&weights_[size_t(tap) * channels_ + c], packed + layout.indexOf(c, tap) * sizeof(float),
                    sizeof(float));
  }

  void run() {
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width(); ++x) {
        sumWindow(y, x);
        storePixel(output_.pixel(y, x));
      }
  }

private:
  void sumWindow(uint32_t y, uint32_t x) {
    const Window &w = window_;
    WindowRange rows(y, w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input_.height());
    WindowRange columns(x, w.kernelWidth, w.strideWidth, w.dilationWidth, w.padLeft, input_.width());
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    for (uint32_t ky = rows.begin; ky < rows.end; ++ky)
      for (uint32_t kx = columns.begin; kx < columns.end; ++kx)
        addTap(input_.pixel(static_cast<uint32_t>(rows.origin + int64_t(ky) * w.dilationHeight),
                            static_cast<uint32_t>(columns.origin + int64_t(kx) * w.dilationWidth)),
               weights_.data() + (size_t(ky) * w.kernelWidth + kx) * channels_);
  }

  void addTap(const float *__restrict input, const float *__restrict weights) {
    float *__restrict sums = sums_.data();
    for (uint32_t c = 0; c < channels_; ++c)
      sums[c] += input[c] * weights[c];
  }

  void storePixel(float *out) const {
    const FloatRecord *records = stage_.floatRecords();
    float min = stage_.floatMin(), max = stage_.floatMax();
    for (uint32_t c = 0; c < channels_; ++c)
      out[c] = std::min(std::max(sums_[c] + records[c].bias, min), max);
  }

  const Window &window_;
  FeatureMapView<float> input_, output_;
  OutputStage stage_;
  uint32_t channels_;
  std::vector<float> weights_; ///< [tap][channel]
  std::vector<float> sums_;
};

} // namespace

bool runDepthwiseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  if (command.kind != ConvKind::Depthwise || command.input.type != DataType::Float32 ||
      command.input.channels != command.output.channels)
    return false;
  DepthwiseFloat(command, layout, sram).run();
  return true;
}

} // namespace avocet::kernels
