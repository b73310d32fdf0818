//===- DepthwiseFloat.cpp - Depthwise convolution of float32 inputs -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Computed.h"

#include "avocet/firmware_iface/WindowInputs.h"
#include "common/FeatureMapView.h"
#include "common/WindowRange.h"
#include "conv/DepthwiseConv.h"
#include "conv/FloatTaps.h"
#include "conv/OutputStage.h"

#include <algorithm>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Computes all channels of a pixel at a time, in loops that compilers vectorize; the sums keep the reference's order.
/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<float> input;
  std::vector<const float *> pixels, weights;
};

template <typename T> class DepthwiseFloat {
public:
  DepthwiseFloat(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                 std::span<uint8_t> sram, Scratch &scratch)
      : window_(command.window), input_(command.input, sram), output_(command.output, sram), stage_(command, sram),
        arrays_(command, stage_), channels_(command.output.channels), weights_(size_t(layout.products()) * channels_),
        scratch_(scratch) {
    ComputedInput<T> reader;
    const Computed<T> *floats = reader.read(reinterpret_cast<const T *>(weights), layout.bytes() / sizeof(T));
    for (uint32_t first = 0; first < channels_; first += layout.granule())
      for (uint32_t tap = 0; tap < layout.products(); ++tap)
        std::copy_n(floats + layout.indexOf(first, tap), std::min(layout.granule(), channels_ - first),
                    weights_.data() + size_t(tap) * channels_ + first);
  }

  void run() {
    if constexpr (kIsHalf<T>)
      widenInput();
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width();)
        x += runPixels(y, x);
  }

private:
  /// Each pixel is part of many windows.
  void widenInput() {
    scratch_.input.resize(std::max<size_t>(scratch_.input.size(), elementCount(input_.map())));
    float *to = scratch_.input.data();
    for (uint32_t y = 0; y < input_.height(); ++y)
      for (uint32_t x = 0; x < input_.width(); ++x, to += channels_)
        widenHalves(input_.pixel(y, x), to, channels_);
  }

  const float *pixel(uint32_t y, uint32_t x) const {
    if constexpr (kIsHalf<T>)
      return scratch_.input.data() + (size_t(y) * input_.width() + x) * channels_;
    else
      return input_.pixel(y, x);
  }

  /// Elements from one pixel of a row of the input to the next.
  size_t pixelStep() const { return kIsHalf<T> ? channels_ : input_.map().pixelStride / sizeof(float); }

  WindowRange columnsOf(uint32_t x) const {
    return {x, window_.kernelWidth, window_.strideWidth, window_.dilationWidth, window_.padLeft, input_.width()};
  }

  /// Pixels from x on whose windows have the same taps: those without padding at the sides.
  uint32_t alikeFrom(uint32_t x) const {
    if (!columnsOf(x).whole(window_.kernelWidth))
      return 1;
    const firmware::WindowSteps steps = firmware::columnsOf(window_);
    const uint64_t end = windowsIn(input_.width() + steps.pad, steps.stride, steps.reach());
    return static_cast<uint32_t>(std::min<uint64_t>(end, output_.width()) - x);
  }

  /// Computes pixels of row y from x on; returns how many.
  uint32_t runPixels(uint32_t y, uint32_t x) {
    const uint32_t count = kIsHalf<T> ? 1 : alikeFrom(x);
    findTaps(y, x);
    T *pixel = output_.pixel(y, x);
    sumFloatTaps({scratch_.pixels.data(), scratch_.weights.data(), scratch_.pixels.size(),
                  pixelStep() * window_.strideWidth, count, arrays_, channels_, writer_.begin(pixel, channels_),
                  output_.map().pixelStride / sizeof(float)});
    writer_.store(pixel, channels_);
    return count;
  }

  void findTaps(uint32_t y, uint32_t x) {
    const Window &w = window_;
    WindowRange rows(y, w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input_.height());
    WindowRange columns = columnsOf(x);
    scratch_.pixels.clear();
    scratch_.weights.clear();
    for (uint32_t ky = rows.begin; ky < rows.end; ++ky)
      for (uint32_t kx = columns.begin; kx < columns.end; ++kx) {
        scratch_.pixels.push_back(pixel(static_cast<uint32_t>(rows.origin + int64_t(ky) * w.dilationHeight),
                                        static_cast<uint32_t>(columns.origin + int64_t(kx) * w.dilationWidth)));
        scratch_.weights.push_back(weights_.data() + (size_t(ky) * w.kernelWidth + kx) * channels_);
      }
  }

  const Window &window_;
  FeatureMapView<T> input_, output_;
  OutputStage stage_;
  StageArrays arrays_;
  uint32_t channels_;
  std::vector<float> weights_; ///< [tap][channel]
  ComputedOutput<T> writer_;
  Scratch &scratch_;
};

} // namespace

bool runDepthwiseFloat(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                       std::span<uint8_t> sram) {
  if (command.kind != ConvKind::Depthwise || !isFloat(command.input.type) ||
      command.input.channels != command.output.channels)
    return false;
  thread_local Scratch scratch;
  if (command.input.type == DataType::Float16)
    DepthwiseFloat<_Float16>(command, layout, weights, sram, scratch).run();
  else
    DepthwiseFloat<float>(command, layout, weights, sram, scratch).run();
  return true;
}

} // namespace avocet::kernels
