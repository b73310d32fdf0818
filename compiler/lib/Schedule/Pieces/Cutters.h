//===- Cutters.h - Cutters by kernel ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per family. Each examines the operation and its command over whole tensors, and returns no cutters if it
// does not support the operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_PIECES_CUTTERS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_PIECES_CUTTERS_H

#include "Piece.h"

#include <string_view>

namespace avocet::compiler::schedule {

/// The operation that a cutter cuts.
struct Whole {
  const Problem &problem;
  const Operation &op;
  std::string_view kernel; ///< name of the kernel: "eltwise", "gather"
};

/// A single cutter that makes the whole operation.
template <typename T, typename... Args> Cutters oneCutter(Args &&...args) {
  Cutters cutters;
  cutters.push_back(std::make_unique<T>(std::forward<Args>(args)...));
  return cutters;
}

/// Element by element, with operands that repeat along rows, columns or channels.
Cutters cutElementwise(const Whole &whole);
/// Binary operations whose operands repeat along any axes.
Cutters cutBroadcast(const Whole &whole);
/// Normalisations of lines along an axis.
Cutters cutLines(const Whole &whole);
/// Reductions, along the kept axes.
Cutters cutReductions(const Whole &whole);
/// Data movement.
Cutters cutRearrange(const Whole &whole);
Cutters cutGather(const Whole &whole);
Cutters cutResize(const Whole &whole);
/// Convolutions and pools of the MAC array.
Cutters cutWindows(const Whole &whole);
/// The same on the vector DSP.
Cutters cutWindowLayers(const Whole &whole);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_PIECES_CUTTERS_H
