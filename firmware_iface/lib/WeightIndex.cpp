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

SliceShape SliceShape::of(const WeightLayout &layout, DataType type, uint64_t channels) {
  SliceShape shape{layout.elementSize(), layout.granuleBytes(), channels * layout.products() * layout.elementSize()};
  if (isFloat(type)) {
    shape.products = layout.products();
    shape.chunk = layout.chunk();
  }
  return shape;
}

Status SliceShape::check() const {
  const bool isKnownSize = isScaled() ? elementSize == 2 || elementSize == 4 : elementSize == 1 || elementSize == 2;
  if (!isKnownSize || (isScaled() && chunk == 0))
    return invalidArgument("compressed weights need integers of 1 or 2 bytes, or floats of 2 or 4 bytes");
  const uint64_t unit = uint64_t{elementSize} * (isScaled() ? products : 1);
  if (granuleBytes == 0 || granuleBytes % unit || plainBytes % unit)
    return invalidArgument("compressed weights need whole elements in a granule, and of floats whole channels");
  return Status::ok();
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
  AVOCET_RETURN_IF_ERROR(shape.check());
  AVOCET_ASSIGN_OR_RETURN(header, WeightHeader::read(slice, shape));
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
    if (bytes < header.scales.bytesOf(header.scales.scalesOf(shape, granule)))
      return damagedWeights("the payload of granule " + std::to_string(granule) + " is smaller than its scales");
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
