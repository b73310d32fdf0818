//===- DataFile.cpp - The end of a data cache file -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataFile.h"

#include "avocet/base/BoundedReader.h"

#include <fmt/format.h>

#include <bit>

namespace avocet::cache {
namespace {

static_assert(std::endian::native == std::endian::little, "the end is copied as it is");

struct End {
  std::array<char, 4> identifier;
  uint32_t version;
  uint64_t bytes;
  Checksum identity;
};
static_assert(sizeof(End) == kDataEndBytes);

constexpr std::array<char, 4> kIdentifier = {'A', 'V', 'O', 'D'};
constexpr uint32_t kVersion = 1;

Status refuse(const std::string &name, const std::string &reason) {
  return dataLoss(fmt::format("{}: {}; compile the model again", name, reason));
}

} // namespace

std::array<uint8_t, kDataEndBytes> dataEnd(uint64_t bytes, const Checksum &identity) {
  return std::bit_cast<std::array<uint8_t, kDataEndBytes>>(End{kIdentifier, kVersion, bytes, identity});
}

Status checkDataFile(const FileDescriptor &file, const std::string &name, const Checksum &identity, uint64_t bytes) {
  AVOCET_ASSIGN_OR_RETURN(const uint64_t size, fileSize(file, name));
  const BoundedReader reader(file, size, name);
  const std::optional<End> end = size < sizeof(End) ? std::nullopt : reader.value<End>(size - sizeof(End));
  if (!end || end->identifier != kIdentifier || end->version != kVersion || end->bytes != size - sizeof(End))
    return refuse(name, fmt::format("is {} bytes long, and its end is missing or damaged", size));
  if (end->identity != identity)
    return refuse(name, "holds the constants of another compilation than its model cache");
  if (end->bytes != bytes)
    return refuse(name, fmt::format("has {} bytes of constants, its model cache requires {}", end->bytes, bytes));
  return Status::ok();
}

} // namespace avocet::cache
