//===- FuzzService.cpp - Hostile clients of the whole service ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a script (script.fbs): the messages of two clients, step by step. It runs against the service as shipped:
// socket, sessions, dispatch, driver, compiler, simulator. Every call must get one answer, and all resources of the
// clients must be free after they have gone. Only the compiler, a shared library, is not instrumented.
//
//===----------------------------------------------------------------------===//

#include "OpenDescriptors.h"
#include "Steps.h"
#include "StructureMutator.h"

using namespace avocet::fuzz;

// MLIR is not instrumented, so the poisoning by its allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_leaks=0"; }

namespace {

constexpr const char *kScript = "avocet.fuzz.fb.ServiceScript";

void run(const Table &script) {
  static const FuzzedService service;
  perform(service, script);
  service.inputHasEnded();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static OpenDescriptors descriptors;
  const TablePointer script = readScript(data, size, kScript);
  descriptors.requireNoLeak([&] { run(*script); });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  static StructureMutator mutator(scriptSchema(), kScript, nullptr);
  return mutator.mutate(data, size, maxSize, seed);
}
