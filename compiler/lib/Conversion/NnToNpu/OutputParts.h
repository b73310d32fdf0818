//===- OutputParts.h - Layers in parts of their outputs ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_OUTPUTPARTS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_OUTPUTPARTS_H

#include "MacLayer.h"

namespace avocet::compiler {

/// Parts in which a fully connected layer with one row should run, 1: as one. The scheduler cuts weights at whole steps
/// of the array, so that a layer with fewer outputs waits for all its weights, and decodes them after the last one has
/// come. Parts of it decode while the weights of the next part come.
uint32_t outputPartsOf(const MacLayer &layer, Placement &placement);

/// Places the layer as so many layers that write their outputs side by side.
mlir::LogicalResult placeInOutputParts(const MacLayer &layer, uint32_t parts, Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_OUTPUTPARTS_H
