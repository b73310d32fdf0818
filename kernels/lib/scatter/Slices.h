//===- Slices.h - Slices of a table by coordinates --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_SCATTER_SLICES_H
#define AVOCET_KERNELS_LIB_SCATTER_SLICES_H

#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Section.h"
#include "common/NdShape.h"

#include <optional>

namespace avocet::kernels {

/// Ok if the table, the indices and `slices` are dense and have the shapes.
Status checkSlices(const SliceTable &shape, const firmware::FeatureMap &table, const firmware::FeatureMap &indices,
                   std::string_view name, const firmware::FeatureMap &slices);

/// Ok if the maps have one type and equally many elements, and `map` is dense.
Status checkSameTable(std::string_view name, const firmware::FeatureMap &map, const firmware::FeatureMap &other);

/// The section that a whole table is.
inline Section wholeTable(const SliceTable &shape) { return {1, 1, 0, shape.extents[0]}; }

/// Number of the slice at the coordinates of a row of indices; nullopt if one is outside of its extent, or the slice is
/// in another section of the first axis.
std::optional<uint64_t> sliceInside(const SliceTable &shape, const Section &section, const int32_t *coordinates);

/// The same with each coordinate outside of its extent replaced by the nearest one inside.
std::optional<uint64_t> nearestSlice(const SliceTable &shape, const Section &section, const int32_t *coordinates);

/// Whether no row has a badCoordinate(). Quick, as almost all data is good.
bool areInside(const SliceTable &shape, const Section &section, const int32_t *indices);

/// The first coordinate of a row that is outside of its extent, that of the whole table along the first axis.
std::optional<BadIndex> badCoordinate(const SliceTable &shape, const Section &section, const int32_t *coordinates);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_SCATTER_SLICES_H
