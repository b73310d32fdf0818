//===- DepthwiseWide.cpp - Depthwise convolution of 16-bit inputs ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/FeatureMapView.h"
#include "common/WindowRange.h"
#include "conv/OutputStage.h"
#include "conv/WideConv.h"

#include <algorithm>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Sums of all channels of one pixel, tap by tap. The loops over channels are plain, so that every compiler makes
/// vector code of them.
class DepthwiseWide {
public:
  DepthwiseWide(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram)
      : window_(command.window), input_(command.input, sram), output_(command.output, sram), stage_(command, sram),
        channels_(command.output.channels), each_(channels_ / command.input.channels), sums_(channels_),
        wideSums_(channels_), pixel_(channels_) {
    const auto *packed = reinterpret_cast<const int8_t *>(sram.data() + command.weights.offset);
    weights_.resize(size_t(layout.products()) * channels_);
    for (uint32_t tap = 0; tap < layout.products(); ++tap)
      for (uint32_t c = 0; c < channels_; ++c)
        weights_[size_t(tap) * channels_ + c] = packed[layout.indexOf(c, tap)];
  }

  void run() {
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width(); ++x) {
        sumWindow(y, x);
        std::copy(sums_.begin(), sums_.end(), wideSums_.begin());
        stage_.storeIntegers(wideSums_.data(), channels_, output_.pixel(y, x));
      }
  }

private:
  void sumWindow(uint32_t y, uint32_t x) {
    const Window &w = window_;
    WindowRange rows(y, w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input_.height());
    WindowRange columns(x, w.kernelWidth, w.strideWidth, w.dilationWidth, w.padLeft, input_.width());
    std::fill(sums_.begin(), sums_.end(), 0);
    for (uint32_t ky = rows.begin; ky < rows.end; ++ky)
      for (uint32_t kx = columns.begin; kx < columns.end; ++kx)
        addTap(spread(input_.pixel(static_cast<uint32_t>(rows.origin + int64_t(ky) * w.dilationHeight),
                                   static_cast<uint32_t>(columns.origin + int64_t(kx) * w.dilationWidth))),
               &weights_[(size_t(ky) * w.kernelWidth + kx) * channels_]);
  }

  /// The pixel with each channel repeated for all its filters.
  const int16_t *spread(const int16_t *pixel) {
    if (each_ == 1)
      return pixel;
    for (uint32_t c = 0; c < channels_; ++c)
      pixel_[c] = pixel[c / each_];
    return pixel_.data();
  }

  void addTap(const int16_t *pixel, const int8_t *weights) {
    for (uint32_t c = 0; c < channels_; ++c)
      sums_[c] += pixel[c] * weights[c];
  }

  const Window &window_;
  FeatureMapView<const int16_t> input_;
  FeatureMapView<uint8_t> output_;
  OutputStage stage_;
  uint32_t channels_, each_; ///< output channels; filters of each input channel
  std::vector<int32_t> sums_;
  std::vector<int64_t> wideSums_;
  std::vector<int16_t> pixel_;
  std::vector<int8_t> weights_; ///< [taps][channels]
};

} // namespace

bool runDepthwiseWide(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  if (!hasWideForm(command, ConvKind::Depthwise) || layout.products() > kExactProducts)
    return false;
  DepthwiseWide(command, layout, sram).run();
  return true;
}

} // namespace avocet::kernels
