//===- InspectTables.h - Tables of avocet inspect ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_INSPECT_INSPECTTABLES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_INSPECT_INSPECTTABLES_H

#include "avocet/cache/ArtefactDir.h"

#include <string>

namespace avocet::tool {

/// "SRAM" or "region 3".
std::string regionName(uint32_t region);

std::string sizesText(const cache::Artefacts &artefacts);
std::string operandTable(const cache::ModelCache &model);
std::string regionTable(const cache::ModelCache &model);
std::string memoryPlanTable(const cache::ModelCache &model);
std::string layerTable(const cache::ModelCache &model);

/// How many layers of each operation there are, with sums of their figures.
std::string operationTable(const cache::ModelCache &model);

/// One row for each stream.
Result<std::string> streamTable(const cache::ModelCache &model);

/// All commands, and the control program.
Result<std::string> commandText(const cache::ModelCache &model);

/// What the letters in the names of buffers mean.
inline constexpr const char *kBufferLegend =
    R"(Names of buffers; N is the number of a tensor or layer in the schedule:
  inN, outN  operand of the network        cN, kN      constants, in DRAM
  tN         tensor that stays in SRAM     wN          constants, in SRAM
  rN, vN     ring of rows of a tensor      pN, qN, aN  part of a layer that is
  sN         tensor that is spilled                    computed in pieces
Steps count the transfers and computations of the schedule in their order.
)";

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_INSPECT_INSPECTTABLES_H
