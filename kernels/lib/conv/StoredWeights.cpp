//===- StoredWeights.cpp - Weights of a command -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/StoredWeights.h"

#include "avocet/firmware_iface/WeightStream.h"

#include <algorithm>
#include <array>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Granules of a slice and what they decode to. A copy of the slice tells whether SRAM still has the same one:
/// comparing takes a small part of the time of decoding.
struct Decoded {
  std::vector<uint8_t> slice, plain;
  SliceShape shape;
  uint32_t firstGranule = 0;

  bool is(std::span<const uint8_t> other, const SliceShape &otherShape, uint32_t first, uint64_t bytes) const {
    return shape == otherShape && firstGranule == first && plain.size() == bytes && std::ranges::equal(slice, other);
  }
  void decode(std::span<const uint8_t> from, const SliceShape &fromShape, uint32_t first, uint64_t bytes) {
    slice.assign(from.begin(), from.end());
    shape = fromShape;
    firstGranule = first;
    plain.resize(bytes);
    if (!decodeWeightSlice(slice, shape, first, plain).isOk())
      std::ranges::fill(plain, uint8_t{0});
  }
};

/// The slices that the thread decoded last: the stripes of a cascade use the weights of a few layers in turns.
class DecodedSlices {
public:
  const uint8_t *find(std::span<const uint8_t> slice, const SliceShape &shape, uint32_t first, uint64_t bytes) {
    for (const Decoded &decoded : slices_)
      if (decoded.is(slice, shape, first, bytes))
        return decoded.plain.data();
    if (large_.is(slice, shape, first, bytes))
      return large_.plain.data();
    Decoded &target = bytes > kLarge ? large_ : slices_[next_++ % slices_.size()];
    target.decode(slice, shape, first, bytes);
    return target.plain.data();
  }

private:
  /// Only one slice above this size is kept.
  static constexpr uint64_t kLarge = uint64_t{1} << 22;

  std::array<Decoded, 16> slices_;
  Decoded large_;
  size_t next_ = 0;
};

} // namespace

const uint8_t *packedWeights(const ConvCommand &command, const WeightLayout &layout, std::span<const uint8_t> sram) {
  const uint8_t *stored = sram.data() + command.weights.offset;
  if (command.weightFormat == WeightFormat::Packed)
    return stored;
  thread_local DecodedSlices slices;
  const uint64_t channelBytes = uint64_t{layout.products()} * layout.elementSize();
  const SliceShape shape{layout.elementSize(), layout.granuleBytes(), command.sliceChannels * channelBytes};
  return slices.find({stored, command.weightBytes}, shape, command.firstSliceChannel / layout.granule(),
                     layout.bytes());
}

} // namespace avocet::kernels
