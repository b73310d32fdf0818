//===- Program.h - Inputs that are programs of calls --------------  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_PROGRAM_PROGRAM_H
#define AVOCET_TESTS_FUZZ_PROGRAM_PROGRAM_H

#include <cstdint>
#include <span>

namespace avocet::fuzz {

// A fuzz target whose inputs are programs defines both. Its entry points and RandomPrograms.cpp call them.

/// Called once, before the first program and before other threads.
void prepareProcess();
/// Performs one input and releases all that it made. Aborts if a call breaks a rule.
void performProgram(std::span<const uint8_t> bytes);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_PROGRAM_PROGRAM_H
