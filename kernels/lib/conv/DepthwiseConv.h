//===- DepthwiseConv.h - Depthwise convolution by rows -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_DEPTHWISECONV_H
#define AVOCET_KERNELS_LIB_CONV_DEPTHWISECONV_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// Fast forms of Depthwise: 8-bit inputs and outputs on vectors, and float32 with one output channel per input channel.
/// False, without effect, for other commands and where there is no fast form.
bool runDepthwiseInteger(const firmware::ConvCommand &command, const firmware::WeightLayout &layout,
                         const uint8_t *weights, std::span<uint8_t> sram);
bool runDepthwiseFloat(const firmware::ConvCommand &command, const firmware::WeightLayout &layout,
                       const uint8_t *weights, std::span<uint8_t> sram);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_DEPTHWISECONV_H
