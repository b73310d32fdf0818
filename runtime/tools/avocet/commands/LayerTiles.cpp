//===- LayerTiles.cpp - How the compiler cut a layer ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerTiles.h"

namespace avocet::tool {
namespace {

void keepLarger(LayerTiles &tiles, const firmware::FeatureMap &map) {
  const auto elements = [](uint64_t rows, uint64_t columns, uint64_t channels) { return rows * columns * channels; };
  if (elements(map.height, map.width, map.channels) <= elements(tiles.rows, tiles.columns, tiles.channels))
    return;
  tiles.rows = map.height;
  tiles.columns = map.width;
  tiles.channels = map.channels;
}

/// Nothing for commands that compute nothing.
void addCommand(LayerTiles &tiles, const firmware::CommandBody &body) {
  std::visit(
      [&](const auto &command) {
        constexpr bool kHasOne = requires { command.output; };
        constexpr bool kHasMany = requires { command.outputs; };
        if constexpr (kHasOne)
          keepLarger(tiles, command.output);
        if constexpr (kHasMany)
          for (const firmware::FeatureMap &output : command.outputs)
            keepLarger(tiles, output);
        tiles.count += kHasOne || kHasMany;
      },
      body);
}

} // namespace

std::vector<LayerTiles> tilesOf(const CommandStreams &streams, size_t numLayers) {
  std::vector<LayerTiles> layers(numLayers);
  streams.forEach([&](const CommandPlace &, const firmware::Command &command) {
    if (command.layer < layers.size())
      addCommand(layers[command.layer], command.body);
  });
  return layers;
}

} // namespace avocet::tool
