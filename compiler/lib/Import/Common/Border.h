//===- Border.h - Limits of a network's interface and names -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDER_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDER_H

#include "avocet/firmware_iface/JobRing.h"

namespace avocet::compiler {

/// Most inputs and outputs of a network together: a job binds a region for each, one for constants, and one for scratch
/// memory. Importers check it first, because the time of a compilation grows faster than their number.
inline constexpr uint64_t kMostBorderTensors = firmware::kMaxRegions - 2;

/// Most bytes of a name in a file. Each layer repeats names in locations, tables and source maps.
inline constexpr uint64_t kMostNameBytes = uint64_t{1} << 14;

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDER_H
