//===- KeptConstants.h - Constants that stay in SRAM ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_KEPTCONSTANTS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_KEPTCONSTANTS_H

#include "Plan.h"

#include <optional>

namespace avocet::compiler::schedule {

/// The plan with constants that several cascades read kept in SRAM from the first of them to the last, such as the
/// weights of a recurrent layer whose steps are operations. Those that save most loads are kept, in at most half of
/// the SRAM. Nullopt if there are none. The plan may then need more SRAM than there is.
std::optional<Plan> withKeptConstants(const Problem &problem, const Plan &plan);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_KEPTCONSTANTS_H
