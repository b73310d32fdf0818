//===- PixelGaps.h - Moves of rows whose pixels have gaps -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_REARRANGE_PIXELGAPS_H
#define AVOCET_KERNELS_LIB_REARRANGE_PIXELGAPS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Rearrange.h"

#include <optional>

namespace avocet::kernels {

/// Whether other elements lie between the pixels of a row.
bool hasPixelGaps(const firmware::FeatureMap &map);

/// A move of one row, which counts elements as if pixels had no gaps, with the distances in memory. Each of its axes
/// must stay inside a pixel or go from pixel to pixel; nullopt if one does neither. The move stays inside both maps.
std::optional<Move> overGaps(const Move &move, const firmware::FeatureMap &input, const firmware::FeatureMap &output);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_REARRANGE_PIXELGAPS_H
