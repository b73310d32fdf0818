//===- EltwiseRow.h - Quantised sums and products on vectors -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_ELTWISE_ELTWISEROW_H
#define AVOCET_KERNELS_LIB_ELTWISE_ELTWISEROW_H

#include "avocet/firmware_iface/Command.h"

#include <cstddef>
#include <cstdint>

namespace avocet::kernels {

/// A run of contiguous 8-bit or 16-bit elements of both inputs and of the output. Inputs and output may be the same
/// memory.
struct EltwiseRow {
  const firmware::EltwiseCommand &command; ///< Add, Sub or Mul that has passed check()
  firmware::Clamp clamp;                   ///< the command's clamp, limited to the type
  const uint8_t *a;
  const uint8_t *b;
  uint8_t *output;
  size_t count;
};

/// False, without effect, if this machine has no vector form.
bool computeEltwiseRow(const EltwiseRow &row);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_ELTWISE_ELTWISEROW_H
