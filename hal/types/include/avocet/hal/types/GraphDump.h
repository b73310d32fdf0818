//===- GraphDump.h - A model as a Graphviz graph ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_GRAPHDUMP_H
#define AVOCET_HAL_TYPES_GRAPHDUMP_H

#include "avocet/hal/types/Types.h"

#include <string>
#include <string_view>

namespace avocet::hal {

/// The model in the language of Graphviz: one box for each operand (type, shape, lifetime, value of small constants),
/// one ellipse for each operation, a frame for each subgraph; edges are labelled with positions. Accepts invalid models
/// too: indices out of range show as nodes "operand N?". Render it with `dot -Tsvg`.
std::string graphDump(std::string_view name, const Model &model);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_GRAPHDUMP_H
