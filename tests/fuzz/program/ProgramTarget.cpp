//===- ProgramTarget.cpp - libFuzzer's entry points for programs of calls ----- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

// MLIR is not instrumented, so the poisoning by its allocators is incomplete.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): the runtime of the sanitizer calls it
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_leaks=0"; }

extern "C" int LLVMFuzzerInitialize(int * /*count*/, char *** /*arguments*/) {
  avocet::fuzz::prepareProcess();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  avocet::fuzz::performProgram({data, size});
  return 0;
}
