//===- ScaledWeights.h - Floats with scales of blocks -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of WeightStream.h that is about scales: where they are, how they make floats, and the search for those that
// make given floats.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_SCALEDWEIGHTS_H
#define AVOCET_FIRMWARE_IFACE_LIB_SCALEDWEIGHTS_H

#include "avocet/firmware_iface/WeightStream.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace avocet::firmware {

/// The fields of a slice's header about scales.
struct ScaleFormat {
  uint8_t exponent = 0; ///< of the block; 0: all products of a channel
  uint8_t type = 0;     ///< bytes of a scale; 0: there are none
  uint8_t width = 0;    ///< bits that are stored of each
  uint32_t base = 0;    ///< what is added to them

  static constexpr uint8_t kSmallest = 4, kLargest = 8; ///< exponents
  static constexpr size_t kBytes = 7;                   ///< in the header

  static ScaleFormat read(const uint8_t *bytes);
  void write(std::vector<uint8_t> &out) const;
  bool isKnown() const;

  uint32_t block(const SliceShape &shape) const { return exponent ? 1u << exponent : shape.products; }
  uint32_t blocks(const SliceShape &shape) const { return divideUp(shape.products, block(shape)); }
  /// Number of scales of a granule, and their bytes.
  uint64_t scalesOf(const SliceShape &shape, uint64_t granule) const;
  uint64_t bytesOf(uint64_t scales) const { return divideUp(scales * width, uint64_t{8}); }
};

/// A filter in its compressed form, before its integers are coded.
struct ScaledWeights {
  ScaleFormat format;
  std::vector<uint8_t> integers; ///< in the order of the weights
  std::vector<uint32_t> scales;  ///< their bits, of all granules
  uint64_t granuleScales = 0;    ///< number of those of each granule but the last

  uint64_t scaleBytes(uint32_t granule) const { return format.bytesOf(scalesOf(granule).size()); }
  /// Returns the end.
  uint8_t *writeScales(uint32_t granule, uint8_t *out) const;

private:
  std::span<const uint32_t> scalesOf(uint32_t granule) const;
};

/// nullopt: the floats do not have the form.
std::optional<ScaledWeights> findScales(std::span<const uint8_t> packed, const SliceShape &shape);

/// Writes the floats of a granule.
void applyScales(const ScaleFormat &format, const SliceShape &shape, std::span<const uint8_t> integers,
                 std::span<const uint8_t> scales, uint8_t *plain);

/// The float that an integer and its scale make.
template <typename T> T scaledFloat(int32_t integer, float scale) {
  return static_cast<T>(static_cast<float>(integer) * scale);
}

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_SCALEDWEIGHTS_H
