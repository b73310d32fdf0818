//===- Simplification.h - What a model does not need ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_SIMPLIFICATION_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_SIMPLIFICATION_H

#include "avocet/hal/types/Types.h"

namespace avocet::nnapi {

/// Drops from the main subgraph arguments at the end of operations whose constant values are the defaults, so that
/// older devices understand the operations; then constants and omitted operands that no operation reads, with their
/// values. The model is valid before and after, and computes the same. Subgraphs that only dropped operands referred to
/// stay.
void simplify(hal::Model &model);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_SIMPLIFICATION_H
