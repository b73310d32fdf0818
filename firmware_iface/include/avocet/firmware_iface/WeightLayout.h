//===- WeightLayout.h - Order of weights in memory --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which the MAC array consumes weights, which is the order in SRAM and in the data cache. No padding: the
// stored bytes are exactly the weights, and any range of output channels that starts at a granule is one contiguous
// range of bytes. The granule is the number of output channels of one array step.
//
//   Dense, from [oc][kh][kw][ic] (OHWI):  [granule][chunk][oc in granule][product in chunk]
//     The products kh * kw * ic of one output channel are taken in that order and cut into chunks of kChunkProducts;
//     the last chunk and the last granule may be narrower.
//   Depthwise, from [kh][kw][c]:          [granule][tap][c in granule]
//
// Element sizes are 1 (int8, uint8), 2 (int16, float16) and 4 (float32) bytes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_WEIGHTLAYOUT_H
#define AVOCET_FIRMWARE_IFACE_WEIGHTLAYOUT_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <span>

namespace avocet::firmware {

/// Number of adjacent products of one output channel in a dense layout.
inline constexpr uint32_t kChunkProducts = 32;

/// The extents of one convolution's weights.
struct WeightDims {
  uint32_t outputChannels = 0;
  uint32_t kernelHeight = 1;
  uint32_t kernelWidth = 1;
  uint32_t inputChannels = 1; ///< Dense only; Depthwise has one weight per tap and output channel

  bool operator==(const WeightDims &) const = default;
};

/// Position of one weight in a granule of so many channels, each with so many products, in elements. `chunk`: of
/// WeightLayout.
uint64_t indexInGranule(uint32_t channels, uint32_t products, uint32_t chunk, uint32_t channel, uint32_t product);

/// Order of the weights of one convolution on one kind of array. A small value.
class WeightLayout {
public:
  /// InvalidArgument if an extent is 0, the element size is not 1, 2 or 4, or the whole exceeds 2^32 - 1 bytes.
  static Result<WeightLayout> create(const MacArrayModel &mac, ConvKind kind, WeightDims dims, uint32_t elementSize);

  /// Output channels per granule (the last granule may have fewer).
  uint32_t granule() const { return granule_; }
  /// Products per output channel (Dense) or taps (Depthwise).
  uint32_t products() const { return products_; }
  /// Adjacent products of one output channel.
  uint32_t chunk() const { return kind_ == ConvKind::Dense ? kChunkProducts : 1; }
  uint32_t outputChannels() const { return dims_.outputChannels; }
  uint32_t elementSize() const { return elementSize_; }
  /// Of every granule but the last, which may be smaller.
  uint64_t granuleBytes() const { return uint64_t(granule_) * products_ * elementSize_; }
  uint64_t bytes() const { return uint64_t(dims_.outputChannels) * products_ * elementSize_; }

  /// Position of one weight in elements. Dense: product = (ky * kernelWidth + kx) * inputChannels + ic. Depthwise:
  /// product = ky * kernelWidth + kx.
  uint64_t indexOf(uint32_t channel, uint32_t product) const;

  /// Both spans have bytes() bytes and do not overlap. `giveUp` is polled from time to time; if it returns true, the
  /// rest of `packed` keeps its contents.
  void pack(std::span<const uint8_t> plain, std::span<uint8_t> packed, bool (*giveUp)() = nullptr) const;
  void unpack(std::span<const uint8_t> packed, std::span<uint8_t> plain) const;

  bool operator==(const WeightLayout &) const = default;

private:
  WeightLayout() = default;
  uint64_t plainIndexOf(uint32_t channel, uint32_t product) const;
  template <typename F> void forEachRun(F &&copy, bool (*giveUp)() = nullptr) const;

  ConvKind kind_ = ConvKind::Dense;
  WeightDims dims_;
  uint32_t products_ = 0;
  uint32_t granule_ = 1;
  uint32_t elementSize_ = 1;
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_WEIGHTLAYOUT_H
