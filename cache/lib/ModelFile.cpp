//===- ModelFile.cpp - Header and checksum of a model cache -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"

#include "avocet/cache/ModelDescription.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace avocet::cache {
namespace {

static_assert(std::endian::native == std::endian::little, "the header is copied as it is");

struct Header {
  std::array<char, 4> identifier;
  uint32_t version;
  uint64_t bytes;
  Checksum checksum;
  Checksum dataIdentity;
};
static_assert(sizeof(Header) == kModelHeaderBytes);

constexpr std::array<char, 4> kIdentifier = {'A', 'V', 'O', 'M'};
constexpr size_t kCovered = offsetof(Header, checksum);
constexpr size_t kIdentity = offsetof(Header, dataIdentity);

Checksum checksumOfFile(std::span<const uint8_t> file) {
  return checksumOf({file.first(kCovered), file.subspan(kIdentity)});
}

/// Until format version 3 a file was the bare FlatBuffer, whose identifier is at byte 4.
bool isBareFlatBuffer(std::span<const uint8_t> file) {
  return file.size() >= 8 && std::memcmp(file.data() + 4, kIdentifier.data(), kIdentifier.size()) == 0;
}

Status checkVersion(uint32_t version) {
  if (version == kFormatVersion)
    return Status::ok();
  return unsupported(
      fmt::format("format version is {}, this build reads {}; compile the model again", version, kFormatVersion));
}

} // namespace

std::vector<uint8_t> wrapModel(std::span<const uint8_t> flatBuffer) {
  std::vector<uint8_t> file(kModelHeaderBytes + flatBuffer.size());
  Header header = {kIdentifier, kFormatVersion, file.size(), {}, {}};
  std::memcpy(file.data(), &header, kCovered);
  std::ranges::copy(flatBuffer, file.begin() + kModelHeaderBytes);
  std::ranges::copy(checksumOfFile(file), file.begin() + kCovered);
  return file;
}

Result<std::span<const uint8_t>> unwrapModel(std::span<const uint8_t> file) {
  if (isBareFlatBuffer(file))
    return unsupported("format version is older than 4; compile the model again");
  Header header = {};
  if (file.size() >= sizeof(header))
    std::memcpy(&header, file.data(), sizeof(header));
  if (header.identifier != kIdentifier)
    return dataLoss("is no model cache: it must begin with the identifier AVOM and a whole header");
  AVOCET_RETURN_IF_ERROR(checkVersion(header.version));
  if (header.bytes != file.size())
    return dataLoss(
        fmt::format("is {} bytes long, its header requires {}; compile the model again", file.size(), header.bytes));
  if (header.checksum != checksumOfFile(file))
    return dataLoss("is damaged: its checksum does not match; compile the model again");
  return file.subspan(kModelHeaderBytes);
}

Result<std::vector<uint8_t>> withDataIdentity(std::span<const uint8_t> file, const Checksum &identity) {
  if (file.size() < kModelHeaderBytes)
    return invalidArgument("is no model cache: it must begin with a whole header");
  std::vector<uint8_t> marked(file.begin(), file.end());
  std::ranges::copy(identity, marked.begin() + kIdentity);
  std::ranges::copy(checksumOfFile(marked), marked.begin() + kCovered);
  return marked;
}

std::optional<Checksum> dataIdentityOf(std::span<const uint8_t> file) {
  Checksum identity;
  std::ranges::copy(file.subspan(kIdentity, identity.size()), identity.begin());
  return identity == Checksum() ? std::nullopt : std::optional(identity);
}

} // namespace avocet::cache
