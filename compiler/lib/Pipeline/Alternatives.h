//===- Alternatives.h - The search that a request asks for ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_ALTERNATIVES_H
#define AVOCET_COMPILER_LIB_PIPELINE_ALTERNATIVES_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Schedule/Schedule.h"

namespace avocet::compiler {

/// The search of a checked request; its time starts now. A simulation runs the phases after schedule on its module.
/// The first error of a simulation is stored in `failure`. All arguments are borrowed. Loads the dialects of those
/// phases into the context.
ScheduleSearch searchOf(const CompileRequest &request, const TargetPtr &target, mlir::MLIRContext &context,
                        Status &failure);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_ALTERNATIVES_H
