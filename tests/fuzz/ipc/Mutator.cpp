//===- Mutator.cpp - Changes messages by their schema -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packet.h"
#include "StructureMutator.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  using namespace avocet::fuzz;
  static StructureMutator mutator(scriptSchema(), "avocet.hal.ipc.fb.Envelope", "AVIP");
  return mutator.mutate(data, size, maxSize, seed);
}
