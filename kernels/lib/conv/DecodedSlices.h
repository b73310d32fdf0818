//===- DecodedSlices.h - Decoded weights that are kept ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding takes several times as long as the products of most layers, and each inference with a network has the same
// slices. Decoded weights are found by the contents of their slice, which are kept too and compared as a whole: SRAM
// may have changed, and clients must not affect each other.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_DECODEDSLICES_H
#define AVOCET_KERNELS_LIB_CONV_DECODEDSLICES_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/firmware_iface/WeightStream.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::kernels {

/// A part of a slice: the granules from `firstGranule` on with `plainBytes` in all.
struct SlicePart {
  std::span<const uint8_t> slice;
  firmware::SliceShape shape;
  uint32_t firstGranule = 0;
  uint64_t plainBytes = 0;
};

/// Thread-safe.
class DecodedSlices {
public:
  using Plain = std::shared_ptr<const std::vector<uint8_t>>;

  /// At most `keptBytes` of slices and decoded weights are kept.
  explicit DecodedSlices(uint64_t keptBytes) : keptBytes_(keptBytes) {}

  /// The decoded weights, of a damaged slice zeros.
  Plain find(const SlicePart &part);

  uint64_t bytes() const;   ///< kept ones
  uint64_t decoded() const; ///< calls of find() that decoded

private:
  struct Kept {
    std::vector<uint8_t> slice;
    firmware::SliceShape shape;
    uint32_t firstGranule = 0;
    Plain plain;

    bool is(const SlicePart &part) const;
    uint64_t bytes() const { return slice.size() + plain->size(); }
  };

  std::shared_ptr<const Kept> recall(uint64_t key);
  void remember(uint64_t key, const std::shared_ptr<const Kept> &kept);
  void forget(size_t place);

  const uint64_t keptBytes_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, size_t> placeOf_; ///< by key
  std::vector<std::pair<uint64_t, std::shared_ptr<const Kept>>> kept_;
  std::minstd_rand random_; ///< chooses what is dropped
  uint64_t bytes_ = 0;
  uint64_t decoded_ = 0;
};

/// The packed weights of a command: those in SRAM, or decoded ones, which stay valid until the thread's next call. A
/// slice with a damaged header or index has zeros as weights.
const uint8_t *packedWeights(const firmware::ConvCommand &command, const firmware::WeightLayout &layout,
                             std::span<const uint8_t> sram);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_DECODEDSLICES_H
