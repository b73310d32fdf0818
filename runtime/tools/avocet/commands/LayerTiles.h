//===- LayerTiles.h - How the compiler cut a layer --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_LAYERTILES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_LAYERTILES_H

#include "CommandStreams.h"

namespace avocet::tool {

struct LayerTiles {
  uint64_t count = 0;                           ///< commands that compute
  uint32_t rows = 0, columns = 0, channels = 0; ///< of the largest output of such a command; the first of equal ones
};

/// By layer. Commands without a layer are left out.
std::vector<LayerTiles> tilesOf(const CommandStreams &streams, size_t numLayers);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMMANDS_LAYERTILES_H
