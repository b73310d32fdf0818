//===- FuzzImage.cpp - PNG and JPEG files as inputs -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ImageInput.h"

#include <cstdlib>

/// What is decoded has as many pixels as it says, and fits an input.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace avocet;
  const Result<session::Image> image = session::decodeImage(std::span(data, size), "input");
  if (!image)
    return 0;
  if (image->rgb.size() != size_t{image->width} * image->height * 3)
    std::abort();
  if (image->rgb.size() > 1 << 20)
    return 0;
  const int32_t shape[] = {1, 7, 5, 3};
  std::vector<uint8_t> bytes(7 * 5 * 3);
  for (const session::Fit fit : {session::Fit::Stretch, session::Fit::Crop, session::Fit::Pad})
    if (!storeImage(*image, {fit, false, std::nullopt},
                    {"x", firmware::DataType::UInt8, shape, bytes.size(), {}, {}, -1}, bytes)
             .isOk())
      std::abort();
  return 0;
}
