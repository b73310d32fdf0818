//===- SramUse.h - How much on-chip memory a program uses -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SRAMUSE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SRAMUSE_H

#include "avocet/cache/ModelCache.h"

#include <cstdint>

namespace avocet::tool {

/// Most bytes of SRAM that buffers hold in one step of the memory plan. A byte that two buffers share in a step, such
/// as one that the next buffer overwrites while the last reader of the other runs, counts once: never more than SRAM
/// has.
uint64_t mostUsedSramBytes(const cache::ModelCache &model);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SRAMUSE_H
