//===- NpuBytecode.h - Attributes of npu in bytecode ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NPU_NPUBYTECODE_H
#define AVOCET_COMPILER_LIB_DIALECT_NPU_NPUBYTECODE_H

namespace avocet::compiler::npu {

class NpuDialect;

/// Called once, when the dialect is loaded.
void addBytecodeInterface(NpuDialect &dialect);

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_LIB_DIALECT_NPU_NPUBYTECODE_H
