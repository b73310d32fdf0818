//===- GraphDump.h - A model as a Graphviz graph ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_GRAPHDUMP_H
#define AVOCET_HAL_TYPES_GRAPHDUMP_H

#include "avocet/hal/types/Types.h"

#include <span>
#include <string>
#include <string_view>

namespace avocet::hal {

/// The model in the language of Graphviz: one box for each operand (type, shape, lifetime, value of small constants),
/// one ellipse for each operation, a frame for each subgraph; edges are labeled with positions. Accepts invalid models
/// too: indices out of range show as nodes "operand N?". Render it with `dot -Tsvg`.
std::string graphDump(std::string_view name, const Model &model);

/// All versions, oldest first.
std::span<const Version> allVersions();

/// Whether a version can express a model.
struct VersionAnswer {
  bool isExpressible = false;
  std::string text; ///< "yes", "yes, without X, Y", or "no: " and the reason
};
VersionAnswer answerFor(const Model &model, Version version);

/// One line for each version: "1.2: yes\n".
std::string versionReport(const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_GRAPHDUMP_H
