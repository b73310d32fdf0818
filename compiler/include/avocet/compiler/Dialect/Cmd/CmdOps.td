//===- CmdOps.td - All operations of the cmd dialect -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_CMD_OPS
#define AVOCET_COMPILER_DIALECT_CMD_OPS

include "avocet/compiler/Dialect/Cmd/CmdCommandOps.td"
include "avocet/compiler/Dialect/Cmd/CmdProgramOps.td"

#endif // AVOCET_COMPILER_DIALECT_CMD_OPS
