//===- Resize.cpp - Pictures in other sizes ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Image.h"

#include <algorithm>
#include <cmath>

namespace avocet::session {
namespace {

constexpr size_t kChannels = 3;

/// The old pixels along an axis that a new one is made of; the weights add up to 1.
struct Window {
  uint32_t first = 0;
  std::vector<float> weights;
};

std::vector<Window> windowsOf(uint32_t from, uint32_t to) {
  const double step = static_cast<double>(from) / to, radius = std::max(step, 1.0);
  std::vector<Window> windows(to);
  for (uint32_t i = 0; i < to; ++i) {
    const double center = (i + 0.5) * step;
    const auto first = static_cast<uint32_t>(std::max(0.0, std::floor(center - radius + 0.5)));
    const auto end = static_cast<uint32_t>(std::min<double>(from, std::floor(center + radius + 0.5)));
    windows[i].first = std::min(first, from - 1);
    double sum = 0;
    for (uint32_t old = windows[i].first; old < std::max(end, windows[i].first + 1); ++old) {
      const double weight = std::max(0.0, 1 - std::abs(old + 0.5 - center) / radius);
      windows[i].weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float &weight : windows[i].weights)
      weight = sum > 0 ? static_cast<float>(weight / sum) : 1;
  }
  return windows;
}

/// One axis: `lines` lines, whose elements lie `stride` apart and which begin `lineStride` apart.
struct Axis {
  size_t lines, stride, lineStride;
};

void resample(const std::vector<float> &in, Axis from, const std::vector<Window> &windows, std::vector<float> &out,
              Axis to) {
  for (size_t line = 0; line < from.lines; ++line)
    for (size_t i = 0; i < windows.size(); ++i)
      for (size_t channel = 0; channel < kChannels; ++channel) {
        const float *old = &in[line * from.lineStride + windows[i].first * from.stride + channel];
        float sum = 0;
        for (size_t tap = 0; tap < windows[i].weights.size(); ++tap)
          sum += windows[i].weights[tap] * old[tap * from.stride];
        out[line * to.lineStride + i * to.stride + channel] = sum;
      }
}

} // namespace

Image resized(const Image &image, uint32_t width, uint32_t height) {
  if (image.width == width && image.height == height)
    return image;
  const std::vector<float> old(image.rgb.begin(), image.rgb.end());
  const size_t oldRow = image.width * kChannels, row = width * kChannels;
  std::vector<float> narrowed(row * image.height), all(row * height);
  resample(old, {image.height, kChannels, oldRow}, windowsOf(image.width, width), narrowed,
           {image.height, kChannels, row});
  resample(narrowed, {width, row, kChannels}, windowsOf(image.height, height), all, {width, row, kChannels});
  Image result{width, height, std::vector<uint8_t>(all.size())};
  std::ranges::transform(all, result.rgb.begin(),
                         [](float value) { return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L)); });
  return result;
}

} // namespace avocet::session
