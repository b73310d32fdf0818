//===- SanitizerOptions.cpp - Options of sanitizers in all programs -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Default options of AddressSanitizer for all programs of an ASan build but fuzz targets; ASAN_OPTIONS overrides them.
//
// - allow_user_poisoning=0: LLVM's allocators poison memory in headers that our code compiles with ASan. libMLIR is not
//   instrumented and never unpoisons it, so ASan would report MLIR's writes to its own memory.
// - malloc_context_size=8: a report shows the innermost calls of an allocation. Collecting all 30 takes a tenth of the
//   time of the tests.
// - detect_stack_use_after_return=0: it takes a quarter of the time of the tests. Fuzz targets, which have options of
//   their own, run the same libraries with it.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:malloc_context_size=8:detect_stack_use_after_return=0";
}
