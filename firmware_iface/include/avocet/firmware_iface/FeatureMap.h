//===- FeatureMap.h - Windows of tensors in SRAM ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses and the operands that most commands have; a part of the contract in Command.h.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_FEATUREMAP_H
#define AVOCET_FIRMWARE_IFACE_FEATUREMAP_H

#include "avocet/firmware_iface/DataType.h"

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace avocet::firmware {

/// Numbers for addresses. Those of 64 bits need a cast: sums and comparisons would truncate them.
template <typename T>
concept AddressNumber = std::integral<T> && sizeof(T) <= sizeof(uint32_t);

/// A byte of SRAM, or an offset in a buffer of SRAM whose address relocation adds (Addresses.h). The type makes a field
/// an address: relocation changes fields of this type, whatever their name is, and no other number. One word on the
/// wire.
struct SramAddress {
  uint32_t offset = 0; ///< bytes from the start of SRAM

  constexpr SramAddress() = default;
  constexpr SramAddress(AddressNumber auto number) : offset(static_cast<uint32_t>(number)) {}

  constexpr SramAddress &operator+=(AddressNumber auto bytes) {
    offset += static_cast<uint32_t>(bytes);
    return *this;
  }
  friend constexpr SramAddress operator+(SramAddress address, AddressNumber auto bytes) { return address += bytes; }
  friend constexpr uint32_t operator-(SramAddress end, SramAddress begin) { return end.offset - begin.offset; }
  constexpr auto operator<=>(const SramAddress &) const = default;
};
static_assert(sizeof(SramAddress) == sizeof(uint32_t) && std::is_trivially_copyable_v<SramAddress>);

/// Sentinel for "no address" in optional fields.
inline constexpr SramAddress kNoAddress = 0xFFFFFFFFu;

/// A rectangular window of an NHWC tensor (batch folded into the rows) in SRAM, element (y, x, c) at
///   address + ((firstRow + y) % ringRows) * rowStride + x * pixelStride + c * sizeOf(type).
/// A tensor that is wholly in SRAM has ringRows >= firstRow + height; a rolling buffer keeps only the last ringRows
/// rows. Strides are in bytes and may be 0 to broadcast along that axis (inputs of Eltwise only).
struct FeatureMap {
  DataType type = DataType::Int8;
  SramAddress address = 0; ///< of ring row 0
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t channels = 0;
  uint32_t ringRows = 0;
  uint32_t firstRow = 0; ///< row of the ring that holds row 0 of this window, < ringRows
  uint32_t rowStride = 0;
  uint32_t pixelStride = 0;
  int32_t zeroPoint = 0; ///< stored value that stands for 0.0; 0 for floats

  bool operator==(const FeatureMap &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("type", self.type);
    visit("address", self.address);
    visit("height", self.height);
    visit("width", self.width);
    visit("channels", self.channels);
    visit("ringRows", self.ringRows);
    visit("firstRow", self.firstRow);
    visit("rowStride", self.rowStride);
    visit("pixelStride", self.pixelStride);
    visit("zeroPoint", self.zeroPoint);
  }
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_FEATUREMAP_H
