//===- Image.h - Pictures in memory -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_IMAGE_H
#define AVOCET_SESSION_IMAGE_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::session {

struct Image {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> rgb; ///< height x width x 3, rows from the top
};

/// Of each side, in pixels.
inline constexpr uint32_t kMostImageExtent = 16384;

/// Decodes a PNG or JPEG file; gray and palettes become RGB, and what is transparent is black. `name` is for messages.
/// InvalidArgument: it is of another format; DataLoss: it is damaged; ResourceExhausted: a side has more than
/// kMostImageExtent pixels. Orientations of EXIF are ignored.
Result<Image> decodeImage(std::span<const uint8_t> bytes, std::string_view name);

/// As decodeImage(), from a file.
Result<Image> readImage(const std::string &path);

/// The image in another size: each new pixel is the mean of the old ones below a triangle, which is as wide as a step
/// of the larger grid (bilinear with antialiasing, as Pillow does it; pixels are squares with centers at 0.5). Extents
/// are not 0.
Image resized(const Image &image, uint32_t width, uint32_t height);

} // namespace avocet::session

#endif // AVOCET_SESSION_IMAGE_H
