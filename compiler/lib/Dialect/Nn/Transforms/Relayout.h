//===- Relayout.h - Operations in their chosen layouts ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RELAYOUT_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RELAYOUT_H

#include "LayoutGraph.h"

namespace avocet::compiler::nn {

/// Gives each operation of the block its chosen layout. Between two layouts is one transpose, a reshape where only axes
/// of extent 1 move, or another constant. Removes the operations that nothing reads any more.
void applyLayouts(mlir::Block &block, const AxesViews &views, LayoutGraph &graph);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RELAYOUT_H
