//===- FloatWeights-inl.h - Packed float weights on vectors ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Included once per instruction set, so that the guard toggles.
#if defined(AVOCET_KERNELS_LIB_CONV_FLOATWEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef AVOCET_KERNELS_LIB_CONV_FLOATWEIGHTS_INL_H
#undef AVOCET_KERNELS_LIB_CONV_FLOATWEIGHTS_INL_H
#else
#define AVOCET_KERNELS_LIB_CONV_FLOATWEIGHTS_INL_H
#endif

#include "avocet/firmware_iface/WeightLayout.h"
#include "conv/Stage-inl.h"

#if AVOCET_HAVE_VECTORS

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace avocet::kernels::HWY_NAMESPACE {

inline constexpr size_t kFloatLanes = hn::MaxLanes(DF32());
/// Products whose weights are transposed together.
inline constexpr uint32_t kFloatProducts = 4;
static_assert(firmware::kChunkProducts % kFloatProducts == 0);

/// A vector of 128-bit blocks that are `step` elements apart.
template <class D> HWY_INLINE hn::Vec<D> loadBlocks(D d, const float *from, size_t step) {
  constexpr size_t kBlocks = hn::MaxLanes(d) / 4;
  if constexpr (kBlocks == 1) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, loadBlocks(half, from + kBlocks / 2 * step, step), loadBlocks(half, from, step));
  }
}

/// The weights of one vector of output channels in one chunk, turned from [channel][product] to a vector of channels
/// for each product. Lanes without a channel are zero.
class FloatChunk {
public:
  HWY_INLINE void open(const float *weights, const firmware::WeightLayout &layout, uint32_t channel, uint32_t chunk) {
    const auto lanes = static_cast<uint32_t>(kFloatLanes);
    const uint32_t length = std::min(firmware::kChunkProducts, layout.products() - chunk);
    if (channel % layout.granule() + lanes <= layout.granule() && channel + lanes <= layout.outputChannels() &&
        length % kFloatProducts == 0) {
      first_ = weights + layout.indexOf(channel, chunk);
      stride_ = length;
      return;
    }
    copy(weights, layout, channel, chunk, length);
  }

  /// Products [product, product + kFloatProducts) of the chunk; those beyond its end are unspecified.
  HWY_INLINE void load(uint32_t product, VF32 (&weights)[kFloatProducts]) const {
    const DF32 d;
    const hn::RepartitionToWide<DF32> wide;
    VF32 rows[4];
    for (size_t i = 0; i < 4; ++i)
      rows[i] = loadBlocks(d, first_ + i * stride_ + product, 4 * stride_);
    const auto lower01 = hn::BitCast(wide, hn::InterleaveLower(d, rows[0], rows[1]));
    const auto lower23 = hn::BitCast(wide, hn::InterleaveLower(d, rows[2], rows[3]));
    const auto upper01 = hn::BitCast(wide, hn::InterleaveUpper(d, rows[0], rows[1]));
    const auto upper23 = hn::BitCast(wide, hn::InterleaveUpper(d, rows[2], rows[3]));
    weights[0] = hn::BitCast(d, hn::InterleaveLower(wide, lower01, lower23));
    weights[1] = hn::BitCast(d, hn::InterleaveUpper(wide, lower01, lower23));
    weights[2] = hn::BitCast(d, hn::InterleaveLower(wide, upper01, upper23));
    weights[3] = hn::BitCast(d, hn::InterleaveUpper(wide, upper01, upper23));
  }

private:
  /// Weights that no four vectors can be loaded from: of several granules, few channels, or an odd number of products.
  HWY_NOINLINE void copy(const float *weights, const firmware::WeightLayout &layout, uint32_t channel, uint32_t chunk,
                         uint32_t length) {
    std::fill_n(copy_, kFloatLanes * firmware::kChunkProducts, 0.0f);
    const uint32_t count = std::min(static_cast<uint32_t>(kFloatLanes), layout.outputChannels() - channel);
    for (uint32_t c = 0; c < count; ++c)
      std::memcpy(copy_ + c * firmware::kChunkProducts, weights + layout.indexOf(channel + c, chunk),
                  length * sizeof(float));
    first_ = copy_;
    stride_ = firmware::kChunkProducts;
  }

  const float *first_ = nullptr;
  size_t stride_ = 0; ///< elements from one channel to the next
  float copy_[kFloatLanes * firmware::kChunkProducts];
};

} // namespace avocet::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // AVOCET_HAVE_VECTORS

#endif // AVOCET_KERNELS_LIB_CONV_FLOATWEIGHTS_INL_H
