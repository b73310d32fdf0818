//===- RunEltwise.h - Element-wise arithmetic on any memory ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_RUNELTWISE_H
#define AVOCET_KERNELS_LIB_COMMON_RUNELTWISE_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// The arithmetic of a command that has passed check(). `memoryOfB` holds inputB; it is `sram`, or a copy whose address
/// in the command counts from its start. The output may be in the place of an input.
void runEltwise(const firmware::EltwiseCommand &command, std::span<uint8_t> sram, std::span<uint8_t> memoryOfB);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_RUNELTWISE_H
