//===- LayerGroups.h - Layers that reports show as one ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_LAYERGROUPS_H
#define AVOCET_ANALYSIS_LAYERGROUPS_H

#include "avocet/analysis/Report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace avocet::analysis {

/// The layers with the same LayerReport::group, such as the steps of an attention.
struct LayerGroup {
  std::string name;
  std::vector<size_t> layers; ///< numbers, in order
  Figures figures;            ///< their sums; bytes of SRAM in use: the most
};

/// In the order of their first layers.
std::vector<LayerGroup> groupsOf(const Report &report);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_LAYERGROUPS_H
