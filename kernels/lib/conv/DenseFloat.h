//===- DenseFloat.h - Dense convolution of float32 inputs ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_DENSEFLOAT_H
#define AVOCET_KERNELS_LIB_CONV_DENSEFLOAT_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <cstdint>
#include <span>

namespace avocet::kernels {

/// The vector form of Dense with float32. False, without effect, for other commands and on machines without one.
bool runDenseFloat(const firmware::ConvCommand &command, const firmware::WeightLayout &layout, const uint8_t *weights,
                   std::span<uint8_t> sram);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_DENSEFLOAT_H
