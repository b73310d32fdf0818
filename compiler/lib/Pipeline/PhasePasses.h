//===- PhasePasses.h - Passes that belong to no one level -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_PHASEPASSES_H
#define AVOCET_COMPILER_LIB_PIPELINE_PHASEPASSES_H

#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Pass/Pass.h"

namespace avocet::compiler {

using TargetPtr = std::shared_ptr<const firmware::Target>;

/// `npu-to-cmd{target=NAME}`; without a target, loads the one that the program names.
std::unique_ptr<mlir::Pass> createNpuToCmdPass(TargetPtr target = nullptr);

/// `avocet-border{phase=NAME}`: verifies the border of a phase and sets the phase attribute of the module.
std::unique_ptr<mlir::Pass> createBorderPass(Phase phase, TargetPtr target);

/// `avocet-compile{target=NAME start-at=PHASE stop-after=PHASE}`: the phases after start-at (default: the phase in the
/// module's attribute) up to stop-after (default: cmd).
std::unique_ptr<mlir::Pass> createCompilePass();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_PHASEPASSES_H
