//===- SoftmaxWork.h - Loops of softmax kernels -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXWORK_H
#define AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXWORK_H

#include "avocet/kernels/dsp/AxisExtents.h"
#include "avocet/kernels/dsp/Softmax.h"
#include "common/DspKernel.h"

#include <array>
#include <optional>

namespace avocet::kernels {

/// The instructions of a kernel that finds the largest element of a line, sums the exponentials, and makes the results.
/// Counted in quarters: an instruction on bytes is one, on 32 bits four, since a register has as many more bytes.
struct ExponentialLine {
  std::array<uint64_t, 3> passes{}; ///< of each element: maximum, sum, result
  uint64_t keptOps = 0;             ///< less of a result, if one command makes the sum and the results
  uint64_t lineOps = 0;             ///< 32-bit instructions of each line: the reciprocal or logarithm of the sum
  uint64_t tableOps = 0;            ///< 32-bit instructions of each entry of the tables; 0: no tables
  uint64_t tableEntries = 0;
  uint64_t plainOps = 0;    ///< of each element, in 32-bit instructions, without a table
  uint64_t lineEntries = 0; ///< differences for which a result may not be the least one; 0: no table of results
  uint64_t entryOps = 0;    ///< of each of them, in a table of a line's results
  uint64_t lookedUpOps = 0; ///< of each result from that table, instead of passes[2]
  std::optional<uint32_t> pass = {}; ///< the only pass; nullopt: all of them
};

/// The work of a command on such lines, which has the extents of the command's elements along its axis.
DspWork exponentialWork(const firmware::DspCommand &command, AxisExtents extents, const ExponentialLine &line);

/// The instructions of softmax and of the logarithm of softmax. `diffMin`: of the parameters of integers.
ExponentialLine softmaxInstructions(firmware::DataType type, const SoftmaxParameters &parameters);
ExponentialLine logSoftmaxInstructions(firmware::DataType type, int32_t diffMin);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXWORK_H
