//===- WeightLayout.cpp - Order of weights in memory ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightLayout.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace avocet::firmware {

static Status checkDims(ConvKind kind, const WeightDims &dims, uint32_t elementSize) {
  if (elementSize != 1 && elementSize != 2 && elementSize != 4)
    return invalidArgument("weights: element size is " + std::to_string(elementSize) + ", must be 1, 2 or 4");
  uint64_t bytes = elementSize;
  uint32_t extents[] = {dims.outputChannels, dims.kernelHeight, dims.kernelWidth,
                        kind == ConvKind::Dense ? dims.inputChannels : 1};
  for (uint32_t extent : extents) {
    if (extent == 0)
      return invalidArgument("weights: an extent is 0, must be 1 or more");
    bytes *= extent;
    if (bytes > std::numeric_limits<uint32_t>::max())
      return invalidArgument("weights: more than 4294967295 bytes");
  }
  return Status::ok();
}

Result<WeightLayout> WeightLayout::create(const MacArrayModel &mac, ConvKind kind, WeightDims dims,
                                          uint32_t elementSize) {
  AVOCET_RETURN_IF_ERROR(checkDims(kind, dims, elementSize));
  WeightLayout layout;
  layout.kind_ = kind;
  layout.dims_ = dims;
  layout.products_ = dims.kernelHeight * dims.kernelWidth * (kind == ConvKind::Dense ? dims.inputChannels : 1);
  layout.granule_ = std::max<uint32_t>(1, kind == ConvKind::Dense ? mac.dense.channels : mac.depthwise.channels);
  layout.elementSize_ = elementSize;
  return layout;
}

uint64_t indexInGranule(uint32_t channels, uint32_t products, uint32_t chunk, uint32_t channel, uint32_t product) {
  const uint32_t first = product - product % chunk;
  return uint64_t{first} * channels + uint64_t{channel} * std::min(chunk, products - first) + (product - first);
}

uint64_t WeightLayout::indexOf(uint32_t channel, uint32_t product) const {
  const uint32_t first = channel - channel % granule_;
  const uint32_t channels = std::min(granule_, dims_.outputChannels - first);
  return uint64_t{first} * products_ + indexInGranule(channels, products_, chunk(), channel - first, product);
}

uint64_t WeightLayout::plainIndexOf(uint32_t channel, uint32_t product) const {
  return kind_ == ConvKind::Dense ? uint64_t(channel) * products_ + product
                                  : uint64_t(product) * dims_.outputChannels + channel;
}

/// Calls copy(plain byte, packed byte, bytes) for each piece that is contiguous in both orders.
template <typename F> void WeightLayout::forEachRun(F &&copy, bool (*giveUp)()) const {
  auto emit = [&](uint32_t channel, uint32_t product, uint32_t count) {
    copy(plainIndexOf(channel, product) * elementSize_, indexOf(channel, product) * elementSize_,
         size_t(count) * elementSize_);
  };
  if (kind_ == ConvKind::Dense) {
    for (uint32_t channel = 0; channel < dims_.outputChannels && !(giveUp && giveUp()); ++channel)
      for (uint32_t chunk = 0; chunk < products_; chunk += kChunkProducts)
        emit(channel, chunk, std::min(kChunkProducts, products_ - chunk));
    return;
  }
  for (uint32_t first = 0; first < dims_.outputChannels; first += granule_)
    for (uint32_t tap = 0; tap < products_; ++tap)
      emit(first, tap, std::min(granule_, dims_.outputChannels - first));
}

void WeightLayout::pack(std::span<const uint8_t> plain, std::span<uint8_t> packed, bool (*giveUp)()) const {
  forEachRun([&](uint64_t plainByte, uint64_t packedByte,
                 size_t count) { std::memcpy(packed.data() + packedByte, plain.data() + plainByte, count); },
             giveUp);
}

void WeightLayout::unpack(std::span<const uint8_t> packed, std::span<uint8_t> plain) const {
  forEachRun([&](uint64_t plainByte, uint64_t packedByte, size_t count) {
    std::memcpy(plain.data() + plainByte, packed.data() + packedByte, count);
  });
}

} // namespace avocet::firmware
