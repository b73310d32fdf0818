//===- HybridCells.h - Recurrent steps with 8-bit weights -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernels "hybridLstmCell", "hybridRnnCell" and "hybridSvdf": the f32 forms of the kernels in Cells.h with i8
// weights that have zero point 0: input weights, recurrent weights and projection; of svdf only the feature weights.
// Operands, order and formulas are those of the f32 kernel, except that a product of i8 weights W and a vector x is
//
//     scale(W) * scale(x) * sum(W * (round(x / scale(x) + zero) - zero)), summed in 32-bit integers
//
// scale(x) and zero follow from the smallest and largest element of x; zero is 0 unless `asymmetric` is set. Parameters
// are those of the f32 kernel, then `asymmetric`, then the scales of the weights in the order of the operands.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_HYBRIDCELLS_H
#define AVOCET_KERNELS_DSP_HYBRIDCELLS_H

#include "avocet/kernels/dsp/Cells.h"

#include <array>

namespace avocet::kernels {

inline constexpr KernelId kHybridLstmCellKernel{"hybridLstmCell", 52};
inline constexpr KernelId kHybridRnnCellKernel{"hybridRnnCell", 53};
inline constexpr KernelId kHybridSvdfKernel{"hybridSvdf", 54};

/// Parameters of a hybrid kernel: those of its f32 form, and scales of at most `count` matrices.
template <typename Cell, size_t count> struct HybridParameters {
  Cell cell;
  uint32_t asymmetric = 0;
  std::array<float, count> scales{}; ///< positive; unused ones are at the end

  template <typename Self, typename V> static void visitFields(Self &self, V &&visit) {
    Cell::visitFields(self.cell, visit);
    visit("asymmetric", self.asymmetric);
    for (auto &scale : self.scales)
      visit("scale", scale);
  }
};

/// Scales of 3 or 4 input weights, as many recurrent weights, and the projection.
using HybridLstmCellParameters = HybridParameters<LstmCellParameters, 9>;
using HybridRnnCellParameters = HybridParameters<RnnCellParameters, 2>;
using HybridSvdfParameters = HybridParameters<SvdfParameters, 1>;

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_HYBRIDCELLS_H
