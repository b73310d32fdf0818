//===- DepthwiseFloat.cpp - Depthwise convolution of float32 inputs -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Computed.h"
#include "common/FeatureMapView.h"
#include "common/WindowRange.h"
#include "conv/DepthwiseConv.h"
#include "conv/OutputStage.h"

#include <algorithm>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Computes all channels of a pixel at a time, in loops that compilers vectorise; the sums keep the reference's order.
template <typename T> class DepthwiseFloat {
public:
  DepthwiseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram)
      : window_(command.window), input_(command.input, sram), output_(command.output, sram), stage_(command, sram),
        channels_(command.output.channels), weights_(size_t(layout.products()) * channels_), sums_(channels_) {
    const auto *packed = reinterpret_cast<const T *>(sram.data() + command.weights.offset);
    const Computed<T> *floats = reader_.read(packed, command.weightBytes / sizeof(T));
    for (uint32_t tap = 0; tap < layout.products(); ++tap)
      for (uint32_t c = 0; c < channels_; ++c)
        weights_[size_t(tap) * channels_ + c] = floats[layout.indexOf(c, tap)];
  }

  void run() {
    for (uint32_t y = 0; y < output_.height(); ++y)
      for (uint32_t x = 0; x < output_.width(); ++x) {
        sumWindow(y, x);
        T *pixel = output_.pixel(y, x);
        storePixel(writer_.begin(pixel, channels_));
        writer_.store(pixel, channels_);
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
        addTap(reader_.read(input_.pixel(static_cast<uint32_t>(rows.origin + int64_t(ky) * w.dilationHeight),
                                         static_cast<uint32_t>(columns.origin + int64_t(kx) * w.dilationWidth)),
                            channels_),
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
  FeatureMapView<T> input_, output_;
  ComputedInput<T> reader_;
  ComputedOutput<T> writer_;
  OutputStage stage_;
  uint32_t channels_;
  std::vector<float> weights_; ///< [tap][channel]
  std::vector<float> sums_;
};

} // namespace

bool runDepthwiseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  if (command.kind != ConvKind::Depthwise || !isFloat(command.input.type) ||
      command.input.channels != command.output.channels)
    return false;
  if (command.input.type == DataType::Float16)
    DepthwiseFloat<_Float16>(command, layout, sram).run();
  else
    DepthwiseFloat<float>(command, layout, sram).run();
  return true;
}

} // namespace avocet::kernels
