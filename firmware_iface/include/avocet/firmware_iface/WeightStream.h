//===- WeightStream.h - Lossless compression of weights ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice is the weights of a range of whole granules (WeightLayout.h), stored as one string of bytes that can be
// fetched and decoded without any other. Elements have 1 byte (int8, uint8), 2 bytes (int16), or are floats.
//
//   byte 0         kIntegerStream or kScaledStream
//   byte 1         element size
//   byte 2         run value: the element that is coded in runs (1-byte elements; 0 for others)
//   bytes 3 to 9   kScaledStream only, as below: exponent of the block, bytes and bits of a scale, and in 4 bytes,
//                  little endian, the base of the scales
//   lengths        of the codes of all symbols, padded to a whole byte
//   index          for each granule the number of bytes of its payload, as LEB128
//   payloads       one per granule, each padded to a whole byte; one of the size of the granule has its elements as
//                  they are
//
// Bits are in order from the highest bit of each byte. Symbols:
//
//   0 .. L-1       literals. 1-byte elements, L = 256: symbol s is the element (run value + s - 128) modulo 256.
//                  2-byte elements, L = 17: symbol s is an element of s significant bits; s bits follow, which are the
//                  element if it is positive and the element + 2^s - 1 if it is negative.
//   L .. L+15      runs: symbol L + k is a run of 2^k + (the number in the next k bits) times the run value. The run
//                  value has no literal. Runs end with the granule.
//
// Codes are canonical Huffman codes of at most 12 bits: shorter codes first, equal lengths in order of symbols. Each
// length is coded by its difference to the one before (at first 0): 0: equal; 10: one more; 110: one less; 1110: 0;
// 1111 and 4 bits: that length. A decoder of the device needs a table of 4096 entries. The index lets each core start
// at its own granules.
//
// Floats (float32, float16) are integers of 8 bits or of fewer, times the scale of a block. A block is 2^exponent
// (4 to 8) consecutive products of one output channel, the last one what is left; exponent 0: all products. A payload
// begins with the scales of its granule, [block][channel], padded to a whole byte. A scale is the float16 or float32 (2
// or 4 bytes) whose bits, as an integer, are the base plus those that are stored. Integers follow, coded as those of 1
// byte; a payload that has as many bytes as integers after its scales has them as they are. The element is
// float32(integer) * float32(scale), rounded to float32, and for float16 once more, each to the nearest number, of two
// to the even one.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_WEIGHTSTREAM_H
#define AVOCET_FIRMWARE_IFACE_WEIGHTSTREAM_H

#include "avocet/base/Rounding.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace avocet::firmware {

/// Versions of the stream: elements that are integers, and floats with scales of blocks.
inline constexpr uint8_t kIntegerStream = 1, kScaledStream = 2;

/// Plain bytes of a slice that a device decodes.
inline constexpr uint64_t kMostSliceBytes = uint64_t{1} << 27;

/// What a reader of a slice knows beforehand.
struct SliceShape {
  uint32_t elementSize = 1;
  uint64_t granuleBytes = 0; ///< plain bytes of every granule but the last, which may be smaller
  uint64_t plainBytes = 0;   ///< of all granules
  uint32_t products = 0;     ///< of an output channel of floats; 0: elements are integers
  uint32_t chunk = 1;        ///< adjacent products of a channel of floats (WeightLayout.h)

  /// The shape of that many output channels.
  static SliceShape of(const WeightLayout &layout, DataType type, uint64_t channels);

  bool operator==(const SliceShape &) const = default;
  /// InvalidArgument if no slice has it.
  Status check() const;
  bool isScaled() const { return products != 0; }
  uint64_t granules() const { return divideUp(plainBytes, granuleBytes); }
  /// Plain bytes of a granule.
  uint64_t bytesOf(uint64_t granule) const { return std::min(granuleBytes, plainBytes - granule * granuleBytes); }
};

/// The code of a literal.
struct ElementCode {
  uint16_t bits = 0, length = 0;
};

struct ScaledWeights; // private to the library

/// Compresses one filter. All slices of it have one code, so that the bytes of any slice are known without coding it.
class WeightEncoder {
public:
  /// `packed` has the weights of a filter in granules; the last one may be smaller. The span must outlive the encoder.
  /// InvalidArgument if no slice has such a shape, or floats are not integers of 8 bits with scales of blocks.
  static Result<WeightEncoder> create(std::span<const uint8_t> packed, const SliceShape &shape);

  uint32_t granules() const { return static_cast<uint32_t>(divideUp(packed_.size(), granuleBytes_)); }
  /// Bytes of the slice of granules [first, end).
  uint64_t sliceBytes(uint32_t first, uint32_t end) const;
  /// Writes that slice; `out` has sliceBytes() bytes.
  void encode(uint32_t first, uint32_t end, std::span<uint8_t> out) const;
  /// Whether the filter in one slice is smaller than the plain weights.
  bool isWorthwhile() const { return sliceBytes(0, granules()) < plainBytes_; }

private:
  WeightEncoder() = default;
  /// `storedSize`: the element size that the header has.
  void chooseCode(uint32_t storedSize);
  std::vector<uint64_t> countSymbols();
  std::vector<uint64_t> countWideSymbols() const;
  void measure();
  uint64_t bitsOf(std::span<const uint8_t> granule) const;
  uint64_t wideBitsOf(std::span<const uint8_t> granule) const;
  uint64_t runBits(uint64_t length) const;
  std::span<const uint8_t> granule(uint32_t index) const;
  void writeGranule(uint32_t index, uint8_t *out) const;

  uint64_t scaleBytesOf(uint32_t index) const;

  std::span<const uint8_t> packed_; ///< of floats: their integers
  uint64_t plainBytes_ = 0;
  uint32_t elementSize_ = 1; ///< this and the next one: of `packed_`
  uint64_t granuleBytes_ = 0;
  std::shared_ptr<const ScaledWeights> scaled_; ///< null: elements are integers
  uint8_t runValue_ = 0;
  std::vector<uint8_t> header_;                   ///< version to lengths
  std::vector<uint16_t> codes_;                   ///< by symbol
  std::vector<uint8_t> lengths_;                  ///< by symbol
  std::array<ElementCode, 256> codesByElement_{}; ///< of literals of 1 byte
  std::vector<uint64_t> payloads_;                ///< bytes by granule
  std::vector<uint64_t> ends_;                    ///< index and payload bytes of the granules before each one
};

/// Decodes the granules from `firstGranule` on into `plain`, which ends with a granule. Errors as WeightIndex::read();
/// InvalidArgument if the slice has fewer granules. Damaged payloads give other weights and no error, as on the device.
Status decodeWeightSlice(std::span<const uint8_t> slice, const SliceShape &shape, uint32_t firstGranule,
                         std::span<uint8_t> plain);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_WEIGHTSTREAM_H
