//===- FuseTables.h - Look-ups in the output stage --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FUSETABLES_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FUSETABLES_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace avocet::compiler {

/// By how many cycles the convolution or matrix product that makes `value`, directly or in another shape, is slower if
/// its output stage looks the results up. None: nothing that could do so makes it. Not checked: other readers of the
/// result.
std::optional<uint64_t> cyclesOfTable(mlir::Value value, const firmware::Target &target);

/// Moves look-ups of 8-bit results into the output stage of the convolution or matrix product that makes them for the
/// look-up alone. Its layer then has the names of both.
void fuseTables(mlir::func::FuncOp placed, const firmware::Target &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FUSETABLES_H
