//===- Phases.h - The named phases of the compiler --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases of Compiler.h as pass pipelines. Each pipeline ends with the border of its phase: a pass that checks what
// may remain after the phase, runs all verifiers, and sets the module attribute avocet.phase.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_PIPELINE_PHASES_H
#define AVOCET_COMPILER_PIPELINE_PHASES_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"
#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <string_view>

namespace avocet::compiler {

enum class Phase { Import, Nn, Place, Schedule, Allocate, Cmd };
inline constexpr Phase kLastPhase = Phase::Cmd;

std::string_view nameOf(Phase phase);

/// Fails with InvalidArgument and a list of the names.
Result<Phase> phaseNamed(std::string_view name);

/// The last phase that a module has passed, from its attribute; without one, failure with an error at the module.
mlir::FailureOr<Phase> phaseOf(mlir::ModuleOp module);

/// Set the phase, and (for a model read from a file) the model's name, as attributes of the module. "mobilenet.tflite"
/// gives mobilenet; a file called just "model" is named after its folder.
void notePhase(mlir::ModuleOp module, Phase phase);
void noteModel(mlir::ModuleOp module, llvm::StringRef path);

/// Registers all dialects that modules of any phase use.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers all passes: those of NnPasses.td, ConversionPasses.td, SchedulePasses.td and PipelinePasses.td, and the
/// canonicalizer and common-subexpression elimination of MLIR.
void registerPasses();

/// What the passes of phases depend on, apart from the target.
struct PhaseOptions {
  uint32_t threads = 1;  ///< of the phase place
  ScheduleSearch search; ///< of the phase schedule
  /// The phases place and cmd free constants that they have written anew: the context has no other module that is still
  /// used.
  bool freesConstants = false;
};

/// Appends the passes of one phase and its border. Phase::Import has only the border.
void buildPhase(mlir::OpPassManager &manager, Phase phase, std::shared_ptr<const firmware::Target> target,
                const PhaseOptions &options = {});

/// Checks the module against the contract of `phase`, with errors at the offending operations. The target may be null
/// for all phases but allocate.
llvm::LogicalResult verifyBorder(mlir::ModuleOp module, Phase phase,
                                 const std::shared_ptr<const firmware::Target> &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_PIPELINE_PHASES_H
