//===- ConvReference.h - Convolution, one product at a time --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plain form of the convolution for every combination of types. The vector forms must give the same bits (integers)
// or the same value up to the order of the sum (floats). It also runs the combinations that have no vector form.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_CONVREFERENCE_H
#define AVOCET_KERNELS_LIB_CONV_CONVREFERENCE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

void runConvReference(const firmware::ConvCommand &command, const firmware::WeightLayout &layout,
                      const uint8_t *weights, std::span<uint8_t> sram);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_CONVREFERENCE_H
