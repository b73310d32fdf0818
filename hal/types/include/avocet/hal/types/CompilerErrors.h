//===- CompilerErrors.h - Errors of the compiler itself ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network that the compiler fails on, without refusing an operation, runs on the CPU as one with refused operations
// does. The fault would stay unseen, so drivers and delegates log it and count it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_COMPILERERRORS_H
#define AVOCET_HAL_TYPES_COMPILERERRORS_H

#include <cstdint>
#include <string_view>

namespace avocet::hal {

/// Logs an error, and counts it. `component`: as logMessage(); `task`: what the compiler was asked for. Thread-safe.
void noteCompilerError(std::string_view component, std::string_view task, std::string_view message);

/// Number of errors that this process has noted.
uint64_t compilerErrors();

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_COMPILERERRORS_H
