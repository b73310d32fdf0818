//===- ImageInput.cpp - Pictures as inputs of networks ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ImageInput.h"

#include "avocet/session/Tensors.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::session {
namespace {

using firmware::DataType;
constexpr size_t kColors = 3;

/// Where the pixels of an input lie.
struct Grid {
  uint32_t width, height, channels;
  bool channelsFirst;

  size_t index(uint32_t y, uint32_t x, uint32_t channel) const {
    return channelsFirst ? (size_t{channel} * height + y) * width + x : (size_t{y} * width + x) * channels + channel;
  }
};

Result<Grid> gridOf(const cache::OperandView &operand) {
  const auto &shape = operand.shape;
  if (shape.size() == 4 && shape[0] == 1) {
    const auto extent = [&](size_t axis) { return static_cast<uint32_t>(shape[axis]); };
    for (const uint32_t channels : {3, 1}) { // 1 x 3 x 1 x 1 has three channels
      if (extent(3) == channels)
        return Grid{extent(2), extent(1), channels, false};
      if (extent(1) == channels)
        return Grid{extent(3), extent(2), channels, true};
    }
  }
  return invalidArgument(fmt::format("the input is {}; pictures fit 1 x height x width x channels or 1 x channels x "
                                     "height x width with 1 or 3 channels",
                                     describeTensor(operand)));
}

/// The part of `image` with the aspect ratio of the grid, in the middle.
Image cropped(const Image &image, const Grid &grid) {
  const uint64_t wide = uint64_t{image.height} * grid.width / grid.height;
  const uint64_t high = uint64_t{image.width} * grid.height / grid.width;
  const auto width = static_cast<uint32_t>(std::clamp<uint64_t>(wide, 1, image.width));
  const auto height = static_cast<uint32_t>(std::clamp<uint64_t>(high, 1, image.height));
  const uint32_t left = (image.width - width) / 2, top = (image.height - height) / 2;
  Image result{width, height, {}};
  result.rgb.reserve(size_t{width} * height * kColors);
  for (uint32_t y = 0; y < height; ++y) {
    const auto row = image.rgb.begin() + static_cast<ptrdiff_t>((size_t{top + y} * image.width + left) * kColors);
    result.rgb.insert(result.rgb.end(), row, row + static_cast<ptrdiff_t>(width * kColors));
  }
  return result;
}

/// The whole image in the middle of a black one of the grid's extents.
Image padded(const Image &image, const Grid &grid) {
  const double scale =
      std::min(static_cast<double>(grid.width) / image.width, static_cast<double>(grid.height) / image.height);
  const auto extent = [&](uint32_t old, uint32_t most) {
    return std::clamp<uint32_t>(static_cast<uint32_t>(std::lround(old * scale)), 1, most);
  };
  const Image small = resized(image, extent(image.width, grid.width), extent(image.height, grid.height));
  Image result{grid.width, grid.height, std::vector<uint8_t>(size_t{grid.width} * grid.height * kColors)};
  const uint32_t left = (grid.width - small.width) / 2, top = (grid.height - small.height) / 2;
  for (uint32_t y = 0; y < small.height; ++y)
    std::copy_n(small.rgb.begin() + static_cast<ptrdiff_t>(size_t{y} * small.width * kColors), small.width * kColors,
                result.rgb.begin() + static_cast<ptrdiff_t>((size_t{top + y} * grid.width + left) * kColors));
  return result;
}

Image fitted(const Image &image, Fit fit, const Grid &grid) {
  switch (fit) {
  case Fit::Crop:
    return resized(cropped(image, grid), grid.width, grid.height);
  case Fit::Pad:
    return padded(image, grid);
  case Fit::Stretch:
    break;
  }
  return resized(image, grid.width, grid.height);
}

/// Of channel `channel` of the input.
uint8_t valueOf(const uint8_t *pixel, uint32_t channel, const Grid &grid, bool bgr) {
  if (grid.channels == 1)
    return static_cast<uint8_t>((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
  return pixel[bgr ? kColors - 1 - channel : channel];
}

/// The number that a byte stands for where nothing else is said.
double defaultReal(const cache::OperandView &operand, uint8_t byte) {
  if (operand.type != DataType::Int8 && operand.type != DataType::UInt8)
    return byte / 255.0;
  const uint8_t stored = operand.type == DataType::Int8 ? byte ^ 0x80 : byte;
  return realValue(operand, std::span(&stored, 1), 0);
}

/// The number that a byte of the color `color` (0: red) stands for.
double realOf(const cache::OperandView &operand, const ImageForm &form, size_t color, uint8_t byte) {
  if (!form.normalization)
    return defaultReal(operand, byte);
  return (byte - form.normalization->mean[color]) * form.normalization->scale[color];
}

} // namespace

Status storeImage(const Image &image, const ImageForm &form, const cache::OperandView &operand,
                  std::span<uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(const Grid grid, gridOf(operand));
  const Image pixels = fitted(image, form.fit, grid);
  for (uint32_t y = 0; y < grid.height; ++y)
    for (uint32_t x = 0; x < grid.width; ++x)
      for (uint32_t channel = 0; channel < grid.channels; ++channel) {
        const uint8_t *pixel = &pixels.rgb[(size_t{y} * grid.width + x) * kColors];
        const uint8_t byte = valueOf(pixel, channel, grid, form.bgr);
        const size_t color = form.bgr && grid.channels == kColors ? kColors - 1 - channel : channel;
        AVOCET_RETURN_IF_ERROR(
            storeReal(operand, realOf(operand, form, color, byte), grid.index(y, x, channel), bytes));
      }
  return Status::ok();
}

} // namespace avocet::session
