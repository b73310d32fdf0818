//===- WideConv.h - Convolution of 16-bit inputs --------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_WIDECONV_H
#define AVOCET_KERNELS_LIB_CONV_WIDECONV_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <span>

namespace avocet::kernels {

/// Run the command if it is a dense (a depthwise) convolution of 16-bit inputs that this machine has a fast form for.
/// False, without effect: it is not. Products are summed in 32 bits, so few at a time that the sums are exact.
bool runDenseWide(const firmware::ConvCommand &command, const firmware::WeightLayout &layout, std::span<uint8_t> sram);
bool runDepthwiseWide(const firmware::ConvCommand &command, const firmware::WeightLayout &layout,
                      std::span<uint8_t> sram);

/// Products of 16 and 8 bits whose sum always fits in 32 bits; even.
inline constexpr uint32_t kExactProducts = 510;

/// Whether the command is an integer convolution of 16-bit inputs and all zero points of products are 0.
inline bool hasWideForm(const firmware::ConvCommand &command, firmware::ConvKind kind) {
  return command.kind == kind && command.input.type == firmware::DataType::Int16 && command.input.zeroPoint == 0 &&
         command.weightZeroPoint == 0;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_WIDECONV_H
