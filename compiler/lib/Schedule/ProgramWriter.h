//===- ProgramWriter.h - A sequence as an npu.program -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_PROGRAMWRITER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_PROGRAMWRITER_H

#include "ProblemBuilder.h"
#include "Schedule/Core/Sequence.h"

namespace avocet::compiler::schedule {

/// Builds the program before the function; the caller erases the function.
npu::ProgramOp writeProgram(mlir::func::FuncOp function, const PlacedProblem &placed, const Sequence &sequence);

/// The layer table: the function's own entries, completed by engine, work, roofline and bytes.
mlir::ArrayAttr layerTable(mlir::func::FuncOp function, const Problem &problem);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_PROGRAMWRITER_H
