//===- LayerNames.h - Names of layers in columns and options ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers have the names of their source tensors: long paths ("Net/block_3/expand/relu6/Relu6;Net/..."), often with the
// names of all tensors that were fused into them.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_LAYERNAMES_H
#define AVOCET_ANALYSIS_LAYERNAMES_H

#include "avocet/cache/ModelCache.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::analysis {

/// The first name of each entry, without leading components that at least half of the entries share. Each keeps as many
/// components as fit into `width` (> 0) columns; a longer component keeps its end.
std::vector<std::string> shortenNames(std::vector<std::string> names, size_t width);

/// The layers that a user may mean: the one with this number, or else the first one with this name, or else all with
/// this text in their names, in order.
std::vector<uint32_t> findLayers(const cache::ModelCache &model, std::string_view text);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_LAYERNAMES_H
