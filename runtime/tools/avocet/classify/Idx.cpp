//===- Idx.cpp - Labeled data sets in IDX files ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Idx.h"

#include "avocet/base/File.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

constexpr uint8_t kUnsignedByte = 8;
constexpr size_t kMaxDimensions = 4;

uint32_t bigEndian(std::span<const uint8_t> bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | uint32_t(bytes[3]);
}

Result<size_t> checkMagic(std::span<const uint8_t> bytes, std::string_view origin) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return dataLoss(fmt::format("{}: is no IDX file (it must begin with two zero bytes)", origin));
  if (bytes[2] != kUnsignedByte)
    return dataLoss(
        fmt::format("{}: IDX element type {} at byte 2 is not supported, must be 8 (unsigned byte)", origin, bytes[2]));
  size_t rank = bytes[3];
  if (rank < 1 || rank > kMaxDimensions)
    return dataLoss(fmt::format("{}: {} dimensions at byte 3, must be 1 to {}", origin, rank, kMaxDimensions));
  if (bytes.size() < 4 + 4 * rank)
    return dataLoss(fmt::format("{}: ends inside its {} dimensions", origin, rank));
  return rank;
}

} // namespace

size_t IdxArray::itemBytes() const {
  size_t bytes = 1;
  for (size_t i = 1; i < shape.size(); ++i)
    bytes *= shape[i];
  return bytes;
}

std::span<const uint8_t> IdxArray::item(size_t index) const {
  return std::span(data).subspan(index * itemBytes(), itemBytes());
}

Result<IdxArray> parseIdx(std::span<const uint8_t> bytes, std::string_view origin) {
  AVOCET_ASSIGN_OR_RETURN(size_t rank, checkMagic(bytes, origin));
  IdxArray array;
  std::span<const uint8_t> data = bytes.subspan(4 + 4 * rank);
  uint64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) {
    array.shape.push_back(bigEndian(bytes.subspan(4 + 4 * i, 4)));
    if (__builtin_mul_overflow(elements, uint64_t(array.shape.back()), &elements) || array.shape.back() == 0)
      return dataLoss(fmt::format("{}: dimension {} is {}, which is zero or too large", origin, i, array.shape.back()));
  }
  if (elements != data.size())
    return dataLoss(fmt::format("{}: holds {} bytes of data, its dimensions [{}] need {}", origin, data.size(),
                                fmt::join(array.shape, ", "), elements));
  array.data.assign(data.begin(), data.end());
  return array;
}

Result<IdxArray> readIdx(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  return parseIdx(bytes, path);
}

} // namespace avocet::tool
