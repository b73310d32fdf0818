//===- IrText.h - One phase of the compiler for a report --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a phase as a report shows it: without the bytes of constants and without locations, with the layer of
// each line and, for phases of tensors, the graph. It is read as text, because only the compiler links MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_IRTEXT_H
#define AVOCET_DOCUMENTS_IRTEXT_H

#include "avocet/network/ModelSource.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace avocet::documents {

inline constexpr int32_t kWithoutLayer = -1;

/// An operation on tensors, an input or an output of the network.
struct GraphNode {
  std::string operation; ///< "nn.conv_2d"; "input", "output"
  std::string name;      ///< of the tensor in the user's file, may be empty
  std::string type;      ///< of the result
  int32_t layer = kWithoutLayer;
  uint32_t line = 0;
};

/// Where the commands of an engine begin in the text of the last phase: one line for each.
struct StreamLines {
  std::string engine; ///< "mac", "dsp", "dma"
  uint32_t index = 0;
  uint32_t firstLine = 0;
};

struct IrText {
  std::string phase;
  std::string text;
  std::vector<int32_t> layers; ///< by line
  std::vector<GraphNode> nodes;
  std::vector<std::pair<uint32_t, uint32_t>> edges; ///< from and to, places in `nodes`
  std::vector<StreamLines> streams;
};

/// Numbers of layers by their names; a layer of several operations has a name for each.
using LayersByName = std::unordered_map<std::string, int32_t>;
LayersByName indexNames(const std::vector<std::string> &layerNames);

/// Any text is accepted; lines of unknown form have no layer.
IrText readIr(std::string_view phase, std::string_view text, const LayersByName &layers);

/// Compiles the model once for each phase, up to it. `choice.path` is a file.
Result<std::vector<IrText>> collectIr(const network::ModelChoice &choice, const LayersByName &layers,
                                      network::Observer &observer);

/// The commands of artefacts, in the place of the IR that artefacts do not hold.
IrText disassemble(const cache::ModelCache &model);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_IRTEXT_H
