//===- ImageInput.h - Pictures as inputs of networks ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_IMAGEINPUT_H
#define AVOCET_SESSION_IMAGEINPUT_H

#include "avocet/cache/ModelCache.h"
#include "avocet/session/Image.h"

#include <array>
#include <optional>

namespace avocet::session {

/// A byte p of a channel stands for the number (p - mean) * scale. Red, green, blue; gray inputs use the first.
struct Normalization {
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> scale = {1, 1, 1};
};

/// What happens to pictures of another aspect ratio.
enum class Fit {
  Stretch, ///< each side becomes that of the input
  Crop,    ///< the middle of the picture is used
  Pad,     ///< black bars fill the input
};

struct ImageForm {
  Fit fit = Fit::Stretch;
  bool bgr = false; ///< the channels of the input are blue, green, red
  /// Nothing: the range of the type for 8-bit inputs, so that 0 and 255 are its ends, and p / 255 for others.
  std::optional<Normalization> normalization;
};

/// Stores a picture in an input of shape 1 x height x width x channels or 1 x channels x height x width with 3
/// channels, or 1, which is the luma of ITU-R BT.601. InvalidArgument: the input has another shape; Unsupported:
/// another type than i8, u8, i16 and f32.
Status storeImage(const Image &image, const ImageForm &form, const cache::OperandView &operand,
                  std::span<uint8_t> bytes);

} // namespace avocet::session

#endif // AVOCET_SESSION_IMAGEINPUT_H
