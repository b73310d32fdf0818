//===- WeightIndex.cpp - Parts of compressed weights ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightIndex.h"

#include "WeightCode.h"

#include <string>

namespace avocet::firmware {

static Status checkShape(const SliceShape &shape) {
  const uint32_t size = shape.elementSize;
  if ((size == 1 || size == 2) && shape.granuleBytes && shape.granuleBytes % size == 0 && shape.plainBytes % size == 0)
    return Status::ok();
  return invalidArgument("compressed weights need elements of 1 or 2 bytes and whole elements in a granule");
}

/// The number at `at`, which moves to the end of it.
static Result<uint64_t> readNumber(std::span<const uint8_t> slice, uint64_t &at) {
  uint64_t number = 0;
  for (uint32_t shift = 0; at < slice.size() && shift <= 28; shift += 7) {
    const uint8_t byte = slice[at++];
    number |= uint64_t{byte & 127u} << shift;
    if (!(byte & 128))
      return number;
  }
  return damagedWeights("the index does not end");
}

Result<WeightIndex> WeightIndex::read(std::span<const uint8_t> slice, const SliceShape &shape) {
  WeightHeader header;
  return read(slice, shape, header);
}

Result<WeightIndex> WeightIndex::read(std::span<const uint8_t> slice, const SliceShape &shape, WeightHeader &header) {
  AVOCET_RETURN_IF_ERROR(checkShape(shape));
  AVOCET_ASSIGN_OR_RETURN(header, WeightHeader::read(slice, shape.elementSize));
  const uint64_t granules = shape.granules();
  if (granules > slice.size() - header.bytes)
    return damagedWeights("the index of " + std::to_string(granules) + " granules exceeds the slice");
  WeightIndex index;
  index.entries_.reserve(granules + 1);
  index.payloads_.reserve(granules + 1);
  uint64_t at = header.bytes, payload = 0;
  for (uint64_t granule = 0; granule < granules; ++granule) {
    index.entries_.push_back(at);
    index.payloads_.push_back(payload);
    AVOCET_ASSIGN_OR_RETURN(const uint64_t bytes, readNumber(slice, at));
    payload += bytes;
  }
  index.entries_.push_back(at);
  index.payloads_.push_back(payload);
  if (payload != slice.size() - at)
    return damagedWeights("the payloads have " + std::to_string(slice.size() - at) + " bytes, the index has " +
                          std::to_string(payload));
  for (uint64_t &begin : index.payloads_)
    begin += at;
  return index;
}

} // namespace avocet::firmware
