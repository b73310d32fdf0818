//===- NpuToCmd.h - From the scheduled npu level to cmd ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase `cmd`: an allocated npu.program becomes a cmd.program. Every operation of the list gives its command with
// real addresses, StreamSync.h gives the streams, the buffers give memory plan, regions and constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_NPUTOCMD_H
#define AVOCET_COMPILER_CONVERSION_NPUTOCMD_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace avocet::compiler {

/// Version text that goes into the model cache.
llvm::StringRef compilerVersion();

/// Replaces the module's one npu.program. Fails with an error at the operation concerned if there is none, if it is not
/// allocated, names another target, or needs more engines or semaphores than the target has.
llvm::LogicalResult convertNpuToCmd(mlir::ModuleOp module, const firmware::Target &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_NPUTOCMD_H
