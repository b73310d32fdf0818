//===- RowMoves.h - Moves of tensors as moves of their rows -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_ROWMOVES_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_ROWMOVES_H

#include "avocet/kernels/dsp/Rearrange.h"

#include <optional>

namespace avocet::compiler {

/// The moves of one row that do the same as `parameters`, which have moves of whole dense maps, if each row of the
/// result depends on the same row of the inputs only. All maps have `rows` rows, of `inputRows` and `outputRow`
/// elements.
std::optional<kernels::RearrangeParameters> rowMoves(const kernels::RearrangeParameters &parameters, uint64_t rows,
                                                     std::span<const uint64_t> inputRows, uint64_t outputRow);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_ROWMOVES_H
