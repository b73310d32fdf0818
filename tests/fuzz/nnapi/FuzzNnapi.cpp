//===- FuzzNnapi.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs of calls of the NNAPI C library, with the embedded device.

#include "World.h"

#include <cstdlib>

// MLIR is not instrumented, so the poisoning by its allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_leaks=0"; }

extern "C" int LLVMFuzzerInitialize(int * /*count*/, char *** /*arguments*/) {
  setenv("AVOCET_NNAPI_DEVICES", "embedded", 1);
  setenv("AVOCET_LOG", "off", 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  avocet::fuzz::performCalls({data, size});
  return 0;
}
