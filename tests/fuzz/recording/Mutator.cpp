//===- Mutator.cpp - Changed recordings with correct checksums -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader refuses a recording with one changed bit because of its checksum. Most mutations therefore remove the
// checksums, change the rest, and add new ones. The lengths in the recording give the places of the checksums. A length
// can be wrong; then the unit ends at the end of the input.
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Checksum.h"

#include <algorithm>
#include <cstring>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using namespace avocet;
using Bytes = std::span<const uint8_t>;

template <typename T> T load(Bytes bytes, size_t offset) {
  T value = 0;
  if (offset + sizeof(T) <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Bytes of a header (magic, version, fingerprint, name) or of a record (kind, length, payload) without checksum, as
/// far as `bytes` hold them. The stated length can be any number, so adding to it may wrap around.
size_t unitSize(Bytes bytes, bool isHeader) {
  constexpr size_t kNameLength = 16, kPayloadLength = 4;
  const size_t fixed = isHeader ? kNameLength + sizeof(uint32_t) : kPayloadLength + sizeof(uint64_t);
  const uint64_t length = isHeader ? load<uint32_t>(bytes, kNameLength) : load<uint64_t>(bytes, kPayloadLength);
  return fixed >= bytes.size() ? bytes.size() : fixed + std::min<uint64_t>(length, bytes.size() - fixed);
}

/// Copies unit by unit. With `remove` the input has a checksum after each unit, otherwise the output.
std::vector<uint8_t> convert(Bytes bytes, bool remove) {
  std::vector<uint8_t> result;
  for (bool isHeader = true; !bytes.empty(); isHeader = false) {
    const size_t size = unitSize(bytes, isHeader);
    Bytes unit = bytes.first(size);
    result.insert(result.end(), unit.begin(), unit.end());
    bytes = bytes.subspan(size);
    if (remove) {
      bytes = bytes.subspan(std::min(sizeof(Checksum), bytes.size()));
    } else {
      Checksum checksum = checksumOf({unit});
      result.insert(result.end(), checksum.begin(), checksum.end());
    }
  }
  return result;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize); // changes the checksums too
  std::vector<uint8_t> bare = convert({data, size}, true);
  size_t bareSize = bare.size();
  bare.resize(std::max(bareSize, maxSize));
  bare.resize(LLVMFuzzerMutate(bare.data(), bareSize, bare.size()));
  std::vector<uint8_t> sealed = convert(bare, false);
  if (sealed.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, sealed.data(), sealed.size());
  return sealed.size();
}
