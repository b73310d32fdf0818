//===- FigureRules.h - Rules that the figures of a run keep -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_FIGURERULES_H
#define AVOCET_VALIDATION_TOOL_FIGURERULES_H

#include "avocet/documents/Explanation.h"

namespace avocet::tool {

/// Whether the figures of a run agree with each other:
///
///   - the rows of JSON and CSV, with that of no layer, add up to the total
///   - the cycles of a row are its busy cycles and its stalls, those on the array as the device counted them
///   - no part exceeds its whole: utilization, stalls, bytes of SRAM in use
///   - a layer below its bound has hidden work that fills the bound, another layer loads its constants, the DSP does
///     what its bound counts for the array, or it has no commands that ran
///   - the limit of a row is its longest component
///   - the losses that are listed cover nine tenths of the cycles above the bound, and none is larger than its layer
///
/// The error is the first broken rule, with the layer and the figures.
Status checkFigures(const documents::Explanation &explanation);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_FIGURERULES_H
