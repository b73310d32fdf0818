//===- Picture.cpp - Pictures of digits, and logarithmic axes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include "avocet/base/Rounding.h"
#include "avocet/base/Terminal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace avocet::tool {
namespace {

using Rgb = std::array<uint32_t, 3>;

constexpr std::string_view kShades = " .:-=+*#%@";

/// Mean color of the source pixels that fall on column x, row y of a grid with `scale` source pixels per cell.
struct Sampler {
  const PictureView &picture;
  uint32_t scale;

  uint32_t columns() const { return divideUp(picture.width, scale); }
  uint32_t rows() const { return divideUp(picture.height, scale); }

  Rgb at(uint32_t x, uint32_t y) const {
    Rgb sum{};
    uint32_t count = 0;
    for (uint32_t sy = y * scale; sy < std::min(picture.height, (y + 1) * scale); ++sy) {
      for (uint32_t sx = x * scale; sx < std::min(picture.width, (x + 1) * scale); ++sx, ++count)
        add(sum, sx, sy);
    }
    for (uint32_t &component : sum)
      component = count == 0 ? 0 : component / count;
    return sum;
  }

private:
  void add(Rgb &sum, uint32_t x, uint32_t y) const {
    const uint8_t *pixel = &picture.pixels[(size_t(y) * picture.width + x) * picture.channels];
    for (uint32_t c = 0; c < 3; ++c)
      sum[c] += pixel[picture.channels == 3 ? c : 0];
  }
};

uint32_t luminance(const Rgb &color) { return (color[0] * 299 + color[1] * 587 + color[2] * 114) / 1000; }

/// A character cell is about twice as high as wide: two rows of pixels share one.
char asciiCell(const Rgb &top, const Rgb &bottom) {
  uint32_t gray = (luminance(top) + luminance(bottom)) / 2;
  return kShades[gray * kShades.size() / 256];
}

std::string blockCell(const Rgb &top, const Rgb &bottom) {
  return fmt::format("\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m▀", top[0], top[1], top[2], bottom[0], bottom[1],
                     bottom[2]);
}

std::string drawRow(const Sampler &sampler, uint32_t row, PictureStyle style) {
  std::string line;
  for (uint32_t x = 0; x < sampler.columns(); ++x) {
    Rgb top = sampler.at(x, row);
    Rgb bottom = row + 1 < sampler.rows() ? sampler.at(x, row + 1) : Rgb{};
    line += style == PictureStyle::Ascii ? std::string(1, asciiCell(top, bottom)) : blockCell(top, bottom);
  }
  return style == PictureStyle::Ascii ? line : line + "\x1b[0m";
}

} // namespace

PictureStyle pictureStyleForOutput() { return hasColors(STDOUT_FILENO) ? PictureStyle::Blocks : PictureStyle::Ascii; }

std::vector<std::string> drawPicture(const PictureView &picture, PictureStyle style, uint32_t maxColumns) {
  Sampler sampler{picture, std::max(1u, divideUp(picture.width, std::max(1u, maxColumns)))};
  std::vector<std::string> lines;
  for (uint32_t row = 0; row < sampler.rows(); row += 2)
    lines.push_back(drawRow(sampler, row, style));
  return lines;
}

double LogScale::at(double value) const {
  const double width = std::log(most) - std::log(least);
  return width <= 0 ? (from + to) / 2 : from + (to - from) * (std::log(value) - std::log(least)) / width;
}

std::vector<double> logTicks(double least, double most) {
  std::vector<double> ticks;
  const auto end = static_cast<int>(std::ceil(std::log10(most)));
  for (auto exponent = static_cast<int>(std::floor(std::log10(least))); exponent <= end; ++exponent)
    for (double step : {1.0, 2.0, 5.0})
      if (const double tick = step * std::pow(10, exponent); tick >= least && tick <= most)
        ticks.push_back(tick);
  return ticks.size() < 2 ? std::vector<double>{least, most} : ticks;
}

} // namespace avocet::tool
