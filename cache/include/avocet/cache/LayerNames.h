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

#ifndef AVOCET_CACHE_LAYERNAMES_H
#define AVOCET_CACHE_LAYERNAMES_H

#include "avocet/cache/ModelCache.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::cache {

/// The first name of each entry, without leading components that at least half of the entries share. Each keeps as many
/// components as fit into `width` (> 0) columns, at least those that tell it from the others; what is still longer
/// keeps its end.
std::vector<std::string> shortenNames(std::vector<std::string> names, size_t width);

/// For entries of a trace, of which viewers show little more.
inline constexpr size_t kTraceNameWidth = 48;

/// The shortened names of all layers. Without a width they are not cut, so that they are parts of the names in the
/// file.
std::vector<std::string> layerNames(const ModelCache &model, size_t width = SIZE_MAX);

/// The layers that a user may mean: the one with this number, or else the first one with this name, or else all with
/// this text in their names, in order.
std::vector<uint32_t> findLayers(const ModelCache &model, std::string_view text);

} // namespace avocet::cache

#endif // AVOCET_CACHE_LAYERNAMES_H
