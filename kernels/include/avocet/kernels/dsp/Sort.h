//===- Sort.h - Elements in order of size -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "topK": the largest elements of each row, in falling order, and their positions in the row.
//
//   inputs[0]   [rows, extent], dense, f16, f32, i32, i64, i16, i8 or u8
//   outputs[0]  [rows, count], dense, the type of inputs[0]
//   outputs[1]  i32 [rows, count], dense
//
// Of equal elements the first comes first, or the last with `lastFirst`, as NNAPI defines it. A NaN comes after all
// numbers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SORT_H
#define AVOCET_KERNELS_DSP_SORT_H

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kTopKKernel{"topK", 60};

struct TopKParameters {
  uint32_t rows = 1;
  uint32_t extent = 1;
  uint32_t count = 1;     ///< at most `extent`
  uint32_t lastFirst = 0; ///< 0 or 1

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    visit("rows", self.rows);
    visit("extent", self.extent);
    visit("count", self.count);
    visit("last_first", self.lastFirst);
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SORT_H
