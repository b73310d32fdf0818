//===- ScaledWeights.cpp - Floats with scales of blocks ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledWeights.h"
#include "WeightCode.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace avocet::firmware {

ScaleFormat ScaleFormat::read(const uint8_t *bytes) {
  ScaleFormat format{bytes[0], bytes[1], bytes[2], 0};
  for (uint32_t i = 0; i < 4; ++i)
    format.base |= uint32_t{bytes[3 + i]} << 8 * i;
  return format;
}

void ScaleFormat::write(std::vector<uint8_t> &out) const {
  out.insert(out.end(), {exponent, type, width});
  for (uint32_t i = 0; i < 4; ++i)
    out.push_back(static_cast<uint8_t>(base >> 8 * i));
}

bool ScaleFormat::isKnown() const {
  const bool isKnownBlock = exponent == 0 || (exponent >= kSmallest && exponent <= kLargest);
  return isKnownBlock && (type == sizeof(_Float16) || type == sizeof(float)) && width <= 8 * type;
}

uint64_t ScaleFormat::scalesOf(const SliceShape &shape, uint64_t granule) const {
  return type == 0 ? 0 : shape.bytesOf(granule) / shape.elementSize / shape.products * blocks(shape);
}

std::span<const uint32_t> ScaledWeights::scalesOf(uint32_t granule) const {
  const uint64_t begin = granule * granuleScales;
  return std::span(scales).subspan(begin, std::min(granuleScales, scales.size() - begin));
}

uint8_t *ScaledWeights::writeScales(uint32_t granule, uint8_t *out) const {
  BitWriter bits({out, scaleBytes(granule)});
  for (const uint32_t scale : scalesOf(granule))
    bits.put(scale - format.base, format.width);
  return bits.finish();
}

static float floatOfScale(uint32_t bits, uint8_t type) {
  if (type == sizeof(float))
    return std::bit_cast<float>(bits);
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
}

static std::vector<float> readScales(const ScaleFormat &format, std::span<const uint8_t> bytes, uint64_t count) {
  BitReader bits(bytes);
  std::vector<float> scales(count);
  for (float &scale : scales)
    scale = floatOfScale(format.base + (format.width ? bits.take(format.width) : 0), format.type);
  return scales;
}

template <typename T>
static void apply(const ScaleFormat &format, const SliceShape &shape, std::span<const uint8_t> integers,
                  std::span<const uint8_t> scaleBytes, uint8_t *plain) {
  const auto channels = static_cast<uint32_t>(integers.size() / shape.products);
  const uint32_t block = format.block(shape);
  const std::vector<float> scales = readScales(format, scaleBytes, uint64_t{channels} * format.blocks(shape));
  const uint8_t *from = integers.data();
  for (uint32_t chunk = 0; chunk < shape.products; chunk += std::min(shape.chunk, shape.products - chunk)) {
    const uint32_t end = chunk + std::min(shape.chunk, shape.products - chunk);
    for (uint32_t channel = 0; channel < channels; ++channel)
      for (uint32_t product = chunk; product < end;) {
        const uint32_t of = product / block;
        const float scale = scales[size_t{of} * channels + channel];
        const auto stop = static_cast<uint32_t>(std::min<uint64_t>(end, (uint64_t{of} + 1) * block));
        for (; product < stop; ++product, ++from, plain += sizeof(T)) {
          const T element = scaledFloat<T>(static_cast<int8_t>(*from), scale);
          std::memcpy(plain, &element, sizeof(element));
        }
      }
  }
}

void applyScales(const ScaleFormat &format, const SliceShape &shape, std::span<const uint8_t> integers,
                 std::span<const uint8_t> scales, uint8_t *plain) {
  shape.elementSize == sizeof(float) ? apply<float>(format, shape, integers, scales, plain)
                                     : apply<_Float16>(format, shape, integers, scales, plain);
}

} // namespace avocet::firmware
