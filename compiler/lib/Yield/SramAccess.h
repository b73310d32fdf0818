//===- SramAccess.h - SRAM bytes that a command accesses --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_YIELD_SRAMACCESS_H
#define AVOCET_COMPILER_LIB_YIELD_SRAMACCESS_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <vector>

namespace avocet::compiler {

struct SramBytes {
  uint64_t begin = 0, end = 0;
};

struct SramAccess {
  std::vector<SramBytes> reads;
  std::vector<SramBytes> writes;
  /// Every byte of `writes` is written; false if a footprint covers gaps. DSP kernels may update their outputs, so
  /// these are also in `reads`, and are never exact.
  bool isExact = false;
};

SramAccess sramAccessOf(const firmware::CommandBody &command);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_YIELD_SRAMACCESS_H
