//===- PictureFiles.h - Encoded pictures for tests --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_SESSION_IMAGES_PICTUREFILES_H
#define AVOCET_TESTS_RUNTIME_SESSION_IMAGES_PICTUREFILES_H

#include "avocet/session/Image.h"

#include <string>
#include <vector>

namespace avocet::session::test {

using Bytes = std::vector<uint8_t>;

/// Red grows to the right, green to the bottom; blue is 100.
Image gradient(uint32_t width, uint32_t height);

Bytes pngOf(const Image &image);
Bytes grayPngOf(uint32_t width, uint32_t height, uint8_t level);
Bytes jpegOf(const Image &image, int quality);

/// A .tflite file without operators whose metadata has the normalization (x - 127.5) / 128 and the label file "l.txt";
/// `labels` is the text of that file in the archive after it; null: no archive.
Bytes labeledModel(const std::string *labels);

} // namespace avocet::session::test

#endif // AVOCET_TESTS_RUNTIME_SESSION_IMAGES_PICTUREFILES_H
