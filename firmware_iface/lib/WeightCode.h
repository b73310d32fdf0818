//===- WeightCode.h - Huffman code of weight streams ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_WEIGHTCODE_H
#define AVOCET_FIRMWARE_IFACE_LIB_WEIGHTCODE_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "ScaledWeights.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace avocet::firmware {

/// Writes bits from the highest bit of each byte. The caller knows that they fit.
class BitWriter {
public:
  /// Bits that put() takes at once.
  static constexpr uint32_t kMost = 56;

  explicit BitWriter(std::span<uint8_t> out) : out_(out.data()), end_(out.data() + out.size()) {}

  void put(uint64_t bits, uint32_t count) {
    if (count == 0)
      return;
    pending_ |= bits << (64 - used_ - count);
    used_ += count;
    const uint32_t whole = used_ / 8;
    if (out_ + sizeof(pending_) <= end_) {
      const uint64_t word = __builtin_bswap64(pending_);
      std::memcpy(out_, &word, sizeof(word));
    } else {
      writeBytes(whole);
    }
    out_ += whole;
    pending_ = whole == 8 ? 0 : pending_ << 8 * whole;
    used_ %= 8;
  }

  /// Pads to a whole byte; returns the end.
  uint8_t *finish() {
    if (used_)
      writeBytes(1);
    return out_ + (used_ ? 1 : 0);
  }

private:
  void writeBytes(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      out_[i] = static_cast<uint8_t>(pending_ >> (56 - 8 * i));
  }

  uint8_t *out_, *end_;
  uint64_t pending_ = 0; ///< from the highest bit on
  uint32_t used_ = 0;    ///< bits of it, fewer than 8 between calls
};

/// Reads bits from the highest bit of each byte; zeros after the end.
class BitReader {
public:
  /// Bits that are there after refill().
  static constexpr uint32_t kRefilled = 56;

  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  void refill() {
    if (next_ + sizeof(uint64_t) <= bytes_.size()) {
      uint64_t word;
      std::memcpy(&word, bytes_.data() + next_, sizeof(word));
      pending_ |= __builtin_bswap64(word) >> count_;
      next_ += (63 - count_) / 8;
      count_ |= kRefilled;
      return;
    }
    for (; count_ <= kRefilled; count_ += 8, ++next_)
      pending_ |= (next_ < bytes_.size() ? uint64_t{bytes_[next_]} : 0) << (kRefilled - count_);
  }

  /// The next `count` bits, 1 or more, of those that are there.
  uint32_t peek(uint32_t count) const { return static_cast<uint32_t>(pending_ >> (64 - count)); }
  void skip(uint32_t count) {
    pending_ <<= count;
    count_ -= count;
  }
  /// The next `count` bits, 1 to 32.
  uint32_t take(uint32_t count) {
    refill();
    const uint32_t bits = peek(count);
    skip(count);
    return bits;
  }

  /// Whole bytes that have been taken, padding included.
  size_t bytesUsed() const { return next_ - count_ / 8; }

private:
  std::span<const uint8_t> bytes_;
  size_t next_ = 0;
  uint64_t pending_ = 0; ///< from the highest bit on
  uint32_t count_ = 0;   ///< bits of it that are there
};

inline constexpr uint32_t kLongestCode = 12;
inline constexpr uint32_t kRunClasses = 16;
inline constexpr uint32_t kWideLiterals = 17;

constexpr uint32_t literalsOf(uint32_t elementSize) { return elementSize == 1 ? 256 : kWideLiterals; }
constexpr uint32_t symbolsOf(uint32_t elementSize) { return literalsOf(elementSize) + kRunClasses; }

/// Lengths of the codes for symbols with these frequencies, at most kLongestCode; 0 for symbols that do not occur.
std::vector<uint8_t> codeLengths(std::span<const uint64_t> frequencies);

/// The canonical codes for lengths that form a code.
std::vector<uint16_t> canonicalCodes(std::span<const uint8_t> lengths);

/// Whether each code exists at most once: the lengths do not exceed the code space.
bool formCode(std::span<const uint8_t> lengths);

/// What precedes the index of a slice.
struct WeightHeader {
  uint8_t runValue = 0;
  std::vector<uint8_t> lengths; ///< of the codes, by symbol
  uint64_t bytes = 0;           ///< of the header
  ScaleFormat scales = {};      ///< of floats

  static Result<WeightHeader> read(std::span<const uint8_t> slice, const SliceShape &shape);
  void write(uint32_t elementSize, std::vector<uint8_t> &out) const;
};

/// DataLoss: "compressed weights: ...".
Status damagedWeights(const std::string &what);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_WEIGHTCODE_H
