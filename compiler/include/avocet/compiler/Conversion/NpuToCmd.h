//===- NpuToCmd.h - From the scheduled npu level to cmd ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase `cmd`: an allocated npu.program becomes a cmd.program. Each operation of the list yields its command with
// final addresses, StreamSync.h splits the commands into streams, and the buffers define memory plan, regions and
// constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_NPUTOCMD_H
#define AVOCET_COMPILER_CONVERSION_NPUTOCMD_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace avocet::compiler {

/// Version text stored in the model cache.
llvm::StringRef compilerVersion();

/// Replaces the module's one npu.program. Fails with an error at the operation concerned if there is no program, if it
/// is not allocated or names another target, or if it needs more engines or semaphores than the target has.
llvm::LogicalResult convertNpuToCmd(mlir::ModuleOp module, const firmware::Target &target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_NPUTOCMD_H
