//===- MapParts.h - Commands for a part of their results ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels share that divide a command into parts (Kernel.h).
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

/// The same of one row of pixels, which become rows of one pixel each: the DSP works row by row, and a command of one
/// row would be loaded as a whole while the one in front is computed, so that two are under way when a job has to stop.
firmware::FeatureMap pixelsAsRows(firmware::FeatureMap map, uint32_t first, uint32_t count);

/// Slices [first, first + count) of a dense map that is seen as slices of `elements` each; a row for each.
firmware::FeatureMap denseSlices(firmware::FeatureMap map, uint64_t elements, uint32_t first, uint32_t count);

/// Columns [first, first + count) of a dense matrix of so many rows, a map's row for each of them with gaps in between.
/// A map that is such columns already may be narrowed again.
firmware::FeatureMap matrixColumns(firmware::FeatureMap map, uint32_t rows, uint32_t columns, uint32_t first,
                                   uint32_t count);

/// Byte address of the first row's first element.
uint32_t beginOf(const firmware::FeatureMap &map);

/// The outermost axis on which a map has an extent above 1, up to `innermost`.
std::optional<MapAxis> outermostAxis(const firmware::FeatureMap &map, MapAxis innermost);

/// A kernel whose results lie at the places of its inputs, along the axes down to innermostAxis(): the outputs' slices
/// depend on the same slices of the inputs, or on the whole of an input that has another extent there.
class AlignedKernel : public DspKernel {
protected:
  virtual MapAxis innermostAxis(const firmware::DspCommand &) const { return MapAxis::Channels; }

  uint32_t partsOf(const firmware::DspCommand &command) const override;
  firmware::DspCommand partOf(const firmware::DspCommand &command, uint32_t first, uint32_t count) const override;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_MAPPARTS_H
