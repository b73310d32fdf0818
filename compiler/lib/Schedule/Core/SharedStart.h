//===- SharedStart.h - Constants in parts, and then at once -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions with the same constants, such as the phases of a dilated one, that make one part of the channels after
// the other need all of their inputs before the first part is done, and make all of their results with the last one.
// The port then waits for the array, and the array for the port, at both ends. If only the first few run in parts,
// their constants are loaded meanwhile; the others have all channels at once, so that inputs and results move beside
// them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_SHAREDSTART_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_SHAREDSTART_H

#include "Plan.h"
#include "TileCosts.h"

#include <optional>

namespace avocet::compiler::schedule {

/// The plan with such cascades divided; nullopt if it has none. Pinned cascades stay. It may need more memory than
/// there is.
std::optional<Plan> withSharedStart(const Problem &problem, const Plan &plan, TileCosts &costs);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_SHAREDSTART_H
