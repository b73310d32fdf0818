//===- Mutator.cpp - Changed recordings with correct checksums -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader refuses a recording with one changed bit because of its checksum. Most mutations therefore remove the
// checksums, change the rest, and add new ones. The sizes in the recording give the places of the checksums. A size can
// be wrong; then the part ends at the end of the input.
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

/// Bytes of a part (size and FlatBuffer) without checksum, as far as `bytes` hold them. The stated size can be any
/// number.
size_t partSize(Bytes bytes) {
  const uint64_t size = sizeof(uint32_t) + uint64_t(load<uint32_t>(bytes, 0));
  return std::min<uint64_t>(size, bytes.size());
}

/// Copies part by part. With `remove` the input has a checksum after each part, otherwise the output.
std::vector<uint8_t> convert(Bytes bytes, bool remove) {
  std::vector<uint8_t> result;
  while (!bytes.empty()) {
    const size_t size = partSize(bytes);
    Bytes part = bytes.first(size);
    result.insert(result.end(), part.begin(), part.end());
    bytes = bytes.subspan(size);
    if (remove) {
      bytes = bytes.subspan(std::min(sizeof(Checksum), bytes.size()));
    } else {
      Checksum checksum = checksumOf({part});
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
