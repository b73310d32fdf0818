//===- FuseResiduals.h - Additions in the output stage --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FUSERESIDUALS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FUSERESIDUALS_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler {

/// Moves additions of two tensors into the output stage of the convolution that computes one of them, if nothing else
/// reads that one. The convolution's layer then has the names of both. Of two convolutions the later one in program
/// order takes the addition: the result of the other one exists by then.
void fuseResiduals(mlir::func::FuncOp placed, const firmware::Target &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FUSERESIDUALS_H
