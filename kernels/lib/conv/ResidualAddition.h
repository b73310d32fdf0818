//===- ResidualAddition.h - Additions in the output stage -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution with a residual addition runs as the plain convolution, which writes to the place of the result, and
// the element-wise addition on that place. Both have only one arithmetic each, that of their own commands.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CONV_RESIDUALADDITION_H
#define AVOCET_KERNELS_LIB_CONV_RESIDUALADDITION_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::kernels {

/// The rules of ConvCommand::residual.
Status checkResidual(const firmware::ConvCommand &command);

/// The convolution without its addition.
firmware::ConvCommand withoutResidual(firmware::ConvCommand command);

/// The addition of a command with one. Create it before the convolution runs: an addend that overlaps the output is
/// copied, because the convolution overwrites it.
class ResidualAddition {
public:
  ResidualAddition(const firmware::ConvCommand &command, std::span<uint8_t> sram);

  /// Adds to the convolution's result in the place of the output.
  void run();

private:
  void copyAddend();

  firmware::EltwiseCommand addition_;
  std::span<uint8_t> sram_, memoryOfAddend_;
  std::vector<uint8_t> copy_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CONV_RESIDUALADDITION_H
