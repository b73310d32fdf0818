//===- StoredWeights.h - Weights of a command -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_STOREDWEIGHTS_H
#define AVOCET_KERNELS_LIB_CONV_STOREDWEIGHTS_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <span>

namespace avocet::kernels {

/// The packed weights of a command: those in SRAM, or decoded ones, which stay valid until the thread's next call. A
/// slice with a damaged header or index has zeros as weights.
const uint8_t *packedWeights(const firmware::ConvCommand &command, const firmware::WeightLayout &layout,
                             std::span<const uint8_t> sram);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_STOREDWEIGHTS_H
