//===- PipelinePasses.h - Passes on modules of any phase --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the passes in PipelinePasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_PIPELINEPASSES_H
#define AVOCET_COMPILER_LIB_PIPELINE_PIPELINEPASSES_H

#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Support/PassKinds.h"
#include "avocet/compiler/Support/PassTarget.h"

#include "mlir/Pass/Pass.h"

namespace avocet::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "PipelinePasses.h.inc"

/// The border of `phase` for a target that is loaded already.
std::unique_ptr<mlir::Pass> createBorderPass(Phase phase, TargetPtr target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_PIPELINEPASSES_H
