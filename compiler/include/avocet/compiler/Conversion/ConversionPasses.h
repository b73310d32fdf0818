//===- ConversionPasses.h - Passes between dialects -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the passes in ConversionPasses.td.
//
// The phase `place`: each operation of a network gets an engine, a storage layout and fixed-point parameters.
//
// The phase `cmd`: an allocated npu.program becomes a cmd.program. Each operation of the list yields its command with
// final addresses, StreamSync.h splits the commands into streams, and the buffers define memory plan, regions and
// constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_H
#define AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_H

#include "avocet/compiler/Support/PassKinds.h"
#include "avocet/compiler/Support/PassTarget.h"
#include "avocet/firmware_iface/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace avocet::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

/// The passes for a target that is loaded already; their option `target` is then unused.
std::unique_ptr<mlir::Pass> createConvertNnToNpuPass(TargetPtr target, bool freesConstants = false);
std::unique_ptr<mlir::Pass> createCompressWeightsPass(TargetPtr target, uint32_t threads = 1);
std::unique_ptr<mlir::Pass> createConvertNpuToCmdPass(TargetPtr target, bool freesConstants = false);

/// Whether the module has operations of the TOSA dialect.
bool hasTosa(mlir::ModuleOp module);

enum class TosaVersion { V10, V11Draft };

/// Declares what version of the specification the module follows (`tosa.target_env`).
void setTosaVersion(mlir::ModuleOp module, TosaVersion version);

/// Checks the module against the specification (tosa-validate), of the draft of 1.1 if the module declares no version.
llvm::LogicalResult validateTosa(mlir::ModuleOp module);

/// Replaces the function of a network, of the phase import, by one of the TOSA dialect that follows version 1.0.
/// Integers have the bits that the device computes. An operation that TOSA cannot express is a refusal (Refusal.h); the
/// module is then unchanged.
llvm::LogicalResult convertNnToTosa(mlir::ModuleOp module);

/// Replaces the function of a network of the TOSA dialect by one of the nn dialect, of the phase import, and the others
/// by nothing. Checks the module first (validateTosa). An operation that the device cannot run is a refusal
/// (Refusal.h), one that contradicts itself an error; the module is then incomplete.
llvm::LogicalResult convertTosaToNn(mlir::ModuleOp module);

/// Replaces the packed weights of the module's convolutions by compressed ones (WeightStream.h) where these are
/// smaller, and lowers bytes and bounds of the layers accordingly. A filter becomes one slice, which the scheduler
/// cuts. Floats, weights that other operations compute and those without contents stay as they are. Uses up to
/// `threads` threads; the result does not depend on them.
void compressWeights(mlir::ModuleOp module, const firmware::Target &target, uint32_t threads = 1);

/// Whether placement writes the bytes of the constants that it makes (packed weights, tables). If only the sizes matter
/// they can be omitted: the constants then refer to a resource without bytes. Moved: they are written, and those of the
/// network are freed meanwhile; no other module of the context may be used afterwards, nor this one after a failure.
enum class ConstantContents { Written, Omitted, Moved };

/// Replaces the nn functions of the module by placed npu functions of the same name (NpuOps.td, "placed"). Reports all
/// operations that the target cannot run as refusals (Refusal.h); in that case the module is unchanged, except that
/// equal constants may have become one.
///
/// Storage: [N, H, W, C] is stored as [N * H, W, C] and a matrix as one row; in general the last two axes stay and all
/// others fold into rows. Arguments and results record their type in the network as `npu.network_type`.
llvm::LogicalResult convertNnToNpu(mlir::ModuleOp module, const firmware::Target &target,
                                   ConstantContents contents = ConstantContents::Written);

/// Version text stored in the model cache.
llvm::StringRef compilerVersion();

/// Replaces the module's one npu.program. Fails with an error at the operation concerned if there is no program, if it
/// is not allocated or names another target, or if it needs more engines or semaphores than the target has.
/// `freesConstants`: their bytes are freed when they have been copied; no other module of the context may be used
/// afterwards.
llvm::LogicalResult convertNpuToCmd(mlir::ModuleOp module, const firmware::Target &target, bool freesConstants = false);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_H
