//===- RankRules.h - Ranks of the operands of an operation ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_LIB_SIGNATURES_RANKRULES_H
#define AVOCET_HAL_TYPES_LIB_SIGNATURES_RANKRULES_H

#include "avocet/hal/types/Signatures.h"

namespace avocet::hal {

/// InvalidArgument if the ranks of the operands, or the lengths of operands with an entry for each dimension,
/// contradict each other or the operation. The operands' counts and types have been checked before.
Outcome checkRanks(const OperationView &operation);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LIB_SIGNATURES_RANKRULES_H
