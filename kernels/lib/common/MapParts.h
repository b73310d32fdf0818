//===- MapParts.h - Commands for a part of their results ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for kernels that divide a command into parts (Kernel.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_MAPPARTS_H
#define AVOCET_KERNELS_LIB_COMMON_MAPPARTS_H

#include "common/DspKernel.h"

#include <cstdint>
#include <optional>

namespace avocet::kernels {

/// Outermost first.
enum class MapAxis { Rows, Columns, Channels };

uint32_t extentOf(const firmware::FeatureMap &map, MapAxis axis);

/// [first, first + count) along one axis of a map.
firmware::FeatureMap sliceOf(firmware::FeatureMap map, MapAxis axis, uint32_t first, uint32_t count);

/// The same of one row of pixels, converted to rows of one pixel. The DSP loads a row while it computes the previous
/// one: with commands of one row, two whole commands would be in flight when a job has to stop.
firmware::FeatureMap pixelsAsRows(firmware::FeatureMap map, uint32_t first, uint32_t count);

/// Slices [first, first + count) of a dense map that is divided into slices of `elements` each; one row per slice.
firmware::FeatureMap denseSlices(firmware::FeatureMap map, uint64_t elements, uint32_t first, uint32_t count);

/// Columns [first, first + count) of a dense matrix with `rows` rows, as a map with one row for each of them and gaps
/// in between. A map that holds such columns already may be narrowed again.
firmware::FeatureMap matrixColumns(firmware::FeatureMap map, uint32_t rows, uint32_t columns, uint32_t first,
                                   uint32_t count);

/// Byte address of the first row's first element.
firmware::SramAddress beginOf(const firmware::FeatureMap &map);

/// The outermost axis on which a map has an extent above 1, up to `innermost`.
std::optional<MapAxis> outermostAxis(const firmware::FeatureMap &map, MapAxis innermost);

/// A kernel whose results have the positions of its inputs, along the axes down to innermostAxis(): a slice of the
/// outputs depends on the same slice of an input, or on the whole input if that has another extent there.
class AlignedKernel : public DspKernel {
protected:
  virtual MapAxis innermostAxis(const firmware::DspCommand &) const { return MapAxis::Channels; }

  uint32_t partsOf(const firmware::DspCommand &command) const override;
  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override;
  std::vector<firmware::CommandBody> divide(const firmware::Target &target, const firmware::CommandBody &command,
                                            uint32_t most) const override;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_MAPPARTS_H
