//===- NpuOps.td - All operations of the npu dialect -------*- tablegen -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_OPS
#define AVOCET_COMPILER_DIALECT_NPU_OPS

include "avocet/compiler/Dialect/Npu/NpuPlacedOps.td"
include "avocet/compiler/Dialect/Npu/NpuScheduledOps.td"

#endif // AVOCET_COMPILER_DIALECT_NPU_OPS
