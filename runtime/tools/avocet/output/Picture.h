//===- Picture.h - Pictures of digits, and logarithmic axes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws a gray or RGB picture with half blocks, two pixel rows per text row, scaled down to the width.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_PICTURE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_PICTURE_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avocet::tool {

struct PictureView {
  std::span<const uint8_t> pixels; ///< height * width * channels bytes, rows first
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t channels = 1; ///< 1: gray; 3: RGB
};

enum class PictureStyle {
  Ascii,  ///< ten shades of characters; for files and plain terminals
  Blocks, ///< Unicode half blocks in 24-bit color
};

/// Blocks on a terminal that shows colors (knob AVOCET_COLOR), else Ascii.
PictureStyle pictureStyleForOutput();

/// Lines of equal display width, at most maxColumns.
std::vector<std::string> drawPicture(const PictureView &picture, PictureStyle style, uint32_t maxColumns);

/// Values from `least` to `most`, both positive, at pixels from `from` to `to`.
struct LogScale {
  double least, most, from, to;
  double at(double value) const;
};

/// 1, 2, 5, 10, ... from `least` to `most`; the ends if there are too few.
std::vector<double> logTicks(double least, double most);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_OUTPUT_PICTURE_H
