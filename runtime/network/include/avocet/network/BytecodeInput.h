//===- BytecodeInput.h - MLIR bytecode from files *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_BYTECODEINPUT_H
#define AVOCET_NETWORK_BYTECODEINPUT_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Loader.h"

#include <chrono>

namespace avocet::network {

/// Limit for reading one file of bytecode, of the time that passes and that of the processor.
inline constexpr std::chrono::seconds kBytecodeTime{8};

/// compiler.compile() for models of users. If the model is MLIR bytecode, a compile worker (hal/worker) first reads it
/// and gives text: damaged bytecode can crash its reader, loop in it or exhaust memory. A request that names the format
/// Bytecode has bytecode of this process and needs no worker. Further errors: DataLoss (the worker ended, or reached a
/// limit), NotFound (there is no worker).
compiler::CompileResult compileFile(const compiler::LoadedCompiler &compiler, compiler::CompileRequest request);

/// compiler.judge(), likewise.
compiler::Verdict judgeFile(const compiler::LoadedCompiler &compiler, compiler::JudgeRequest request);

/// compiler.divide(), likewise.
compiler::DivideResult divideFile(const compiler::LoadedCompiler &compiler, compiler::DivideRequest request);

} // namespace avocet::network

#endif // AVOCET_NETWORK_BYTECODEINPUT_H
