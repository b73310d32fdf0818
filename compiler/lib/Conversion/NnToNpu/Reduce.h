//===- Reduce.h - Reductions on the vector DSP ---------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_REDUCE_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_REDUCE_H

#include "Placement.h"

#include "avocet/kernels/dsp/Reduce.h"

namespace avocet::compiler {

/// Places `op` as the kernel "reduce" of its operand along any axes; fills in the shape in `parameters`.
mlir::LogicalResult placeReduce(mlir::Operation *op, mlir::ArrayRef<int64_t> axes, kernels::ReduceParameters parameters,
                                Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_REDUCE_H
