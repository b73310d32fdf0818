//===- EltwiseRow.h - Quantized sums and products on vectors -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_ELTWISE_ELTWISEROW_H
#define AVOCET_KERNELS_LIB_ELTWISE_ELTWISEROW_H

#include "avocet/firmware_iface/Command.h"
#include "common/PairRows.h"
#include "eltwise/EltwiseArithmetic.h"

#include <algorithm>
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

/// False, without effect, if this machine has no vector form, or the command a saturating shift.
bool computeEltwiseRow(const EltwiseRow &row);

/// Add, Sub or Mul on rows of integers T with any distance between their elements; the command has their type.
template <typename T>
void computeQuantizedPairs(const firmware::EltwiseCommand &command, const firmware::Clamp &clamp, SpacedRow<T> a,
                           SpacedRow<T> b, T *output, size_t count) {
  if constexpr (sizeof(T) <= 2) {
    constexpr size_t kMost = 256;
    T copyA[kMost], copyB[kMost];
    auto contiguous = [](SpacedRow<T> row, size_t first, size_t some, T *copy) {
      if (row.step == 1)
        return row.first + first;
      for (size_t i = 0; i < some; ++i)
        copy[i] = row.first[(first + i) * row.step];
      return static_cast<const T *>(copy);
    };
    auto bytes = [](const T *elements) { return reinterpret_cast<const uint8_t *>(elements); };
    bool done = true;
    for (size_t first = 0; first < count && done; first += kMost) {
      const size_t some = std::min(kMost, count - first);
      done = computeEltwiseRow({command, clamp, bytes(contiguous(a, first, some, copyA)),
                                bytes(contiguous(b, first, some, copyB)), reinterpret_cast<uint8_t *>(output + first),
                                some});
    }
    if (done)
      return;
  }
  computePairs(a, b, output, count, [&](T x, T y) {
    return static_cast<T>(std::clamp<int64_t>(combine(command, int64_t(x), int64_t(y)), clamp.min, clamp.max));
  });
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_ELTWISE_ELTWISEROW_H
