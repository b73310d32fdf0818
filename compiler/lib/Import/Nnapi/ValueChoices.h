//===- ValueChoices.h - Extreme values of operands --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions for NnapiConverter::choices. Small sets of values are listed completely (axes, permutations). Of large sets
// only the extremes are listed: least and most, all at one end of an axis and at the other. Values that break a rule of
// the operation may be included; the caller drops them when it tries them. `elements` is the maximum of a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_VALUECHOICES_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_VALUECHOICES_H

#include "NnapiGraph.h"

namespace avocet::compiler {

/// Axes as a single number or as a set (position 1), for reductions with keepDims (position 2).
NnapiValueChoices axisChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices axisSetChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices expandedAxisChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices squeezedAxesChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices permutationChoices(NnapiOperation &op, int64_t elements);
/// Result shapes (position 1; FILL: position 0).
NnapiValueChoices reshapeChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices fillChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices transposedShapeChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices paddingChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices mirrorChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices tileChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices sliceChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices stridedSliceChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices batchToSpaceChoices(NnapiOperation &op, int64_t elements);
/// Integers that a loop passes on (from position 2): small counts, of which one differs from the others. A declared
/// result often admits one of them only.
NnapiValueChoices loopChoices(NnapiOperation &op, int64_t elements);
NnapiValueChoices spaceToBatchChoices(NnapiOperation &op, int64_t elements);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_VALUECHOICES_H
