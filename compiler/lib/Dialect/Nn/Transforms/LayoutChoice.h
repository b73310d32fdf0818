//===- LayoutChoice.h - Layouts with the fewest transposes ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_LAYOUTCHOICE_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_LAYOUTCHOICE_H

#include "LayoutGraph.h"

namespace avocet::compiler::nn {

/// Chooses a side for the nodes of each connected part of the graph so that its transposes move as few bytes as
/// possible. Parts in which no choice is better than the written one stay as they are. Returns whether any part is
/// better.
bool chooseLayouts(LayoutGraph &graph);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_LAYOUTCHOICE_H
