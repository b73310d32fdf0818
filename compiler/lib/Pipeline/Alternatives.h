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

/// InvalidArgument: no such level, or a request above level 1 without a simulation.
Status checkSearch(const CompileRequest &request);

/// InvalidArgument: the request wants another schedule than that of the default level, but the module, which has passed
/// phase `done`, already has one.
Status checkSearchAfter(const CompileRequest &request, Phase done);

/// The search of a checked request; its time starts now. A simulation runs the phases after schedule on its module.
/// The first error of a simulation is stored in `failure`. All arguments are borrowed.
ScheduleSearch searchOf(const CompileRequest &request, const TargetPtr &target, Status &failure);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_ALTERNATIVES_H
