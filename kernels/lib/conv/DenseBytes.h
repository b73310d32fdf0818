//===- DenseBytes.h - Dense convolution of bytes ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_DENSEBYTES_H
#define AVOCET_KERNELS_LIB_CONV_DENSEBYTES_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <span>

namespace avocet::kernels {

/// Dense with 8-bit inputs, int8 weights without a zero point, and Requantize or Dynamic, for more than a few pixels.
/// `weights` is where the packed weights are. False, without effect, for other commands and on machines without
/// dot products of bytes.
bool runDenseBytes(const firmware::ConvCommand &command, const firmware::WeightLayout &layout, const uint8_t *weights,
                   std::span<uint8_t> sram);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_DENSEBYTES_H
