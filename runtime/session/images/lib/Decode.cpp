//===- Decode.cpp - PNG and JPEG files --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"
#include "avocet/session/Image.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <png.h>
#include <turbojpeg.h>

namespace avocet::session {
namespace {

constexpr size_t kChannels = 3;

Status checkExtents(std::string_view name, uint64_t width, uint64_t height) {
  if (width == 0 || height == 0)
    return dataLoss(fmt::format("{}: has no pixels", name));
  if (width > kMostImageExtent || height > kMostImageExtent)
    return resourceExhausted(
        fmt::format("{}: has {} x {} pixels; each side may have {}", name, width, height, kMostImageExtent));
  return Status::ok();
}

Status damaged(std::string_view name, std::string_view reason) {
  return dataLoss(fmt::format("{}: is damaged: {}", name, reason));
}

Image imageOf(uint32_t width, uint32_t height) {
  return {width, height, std::vector<uint8_t>(size_t{width} * height * kChannels)};
}

struct FreePng {
  void operator()(png_image *png) const { png_image_free(png); }
};

Result<Image> decodePng(std::span<const uint8_t> bytes, std::string_view name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, FreePng> owner(&png);
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
    return damaged(name, png.message);
  AVOCET_RETURN_IF_ERROR(checkExtents(name, png.width, png.height));
  png.format = PNG_FORMAT_RGB;
  Image image = imageOf(png.width, png.height);
  constexpr png_color kBlack = {};
  if (png_image_finish_read(&png, &kBlack, image.rgb.data(), 0, nullptr) == 0)
    return damaged(name, png.message);
  return image;
}

struct FreeJpeg {
  void operator()(void *decoder) const { tjDestroy(decoder); }
};

Result<Image> decodeJpeg(std::span<const uint8_t> bytes, std::string_view name) {
  const std::unique_ptr<void, FreeJpeg> decoder(tjInitDecompress());
  if (!decoder)
    return resourceExhausted(fmt::format("{}: no memory to decode it", name));
  int width = 0, height = 0, sampling = 0, colors = 0;
  if (tjDecompressHeader3(decoder.get(), bytes.data(), bytes.size(), &width, &height, &sampling, &colors) != 0)
    return damaged(name, tjGetErrorStr2(decoder.get()));
  AVOCET_RETURN_IF_ERROR(checkExtents(name, static_cast<uint64_t>(width), static_cast<uint64_t>(height)));
  Image image = imageOf(static_cast<uint32_t>(width), static_cast<uint32_t>(height));
  // Limited scans: a small progressive file can ask for hours of work.
  if (tjDecompress2(decoder.get(), bytes.data(), bytes.size(), image.rgb.data(), width, 0, height, TJPF_RGB,
                    TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0)
    return damaged(name, tjGetErrorStr2(decoder.get()));
  return image;
}

bool startsWith(std::span<const uint8_t> bytes, std::string_view signature) {
  return bytes.size() >= signature.size() && std::memcmp(bytes.data(), signature.data(), signature.size()) == 0;
}

} // namespace

Result<Image> decodeImage(std::span<const uint8_t> bytes, std::string_view name) {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n"))
    return decodePng(bytes, name);
  if (startsWith(bytes, "\xff\xd8\xff"))
    return decodeJpeg(bytes, name);
  return invalidArgument(fmt::format("{}: is neither a PNG nor a JPEG file; convert it", name));
}

Result<Image> readImage(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  return decodeImage(bytes, path);
}

} // namespace avocet::session
