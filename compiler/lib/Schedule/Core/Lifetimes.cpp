//===- Lifetimes.cpp - When buffers are in use ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Sequence.h"

#include <algorithm>

namespace avocet::compiler::schedule {

std::vector<Lifetime> lifetimesOf(const Sequence &sequence) {
  std::vector<Lifetime> lifetimes(sequence.buffers.size());
  for (uint32_t step = 0; step < sequence.steps.size(); ++step)
    for (uint32_t buffer : sequence.steps[step].buffers) {
      Lifetime &lifetime = lifetimes[buffer];
      lifetime.first = std::min(lifetime.first, step);
      lifetime.last = step;
    }
  return lifetimes;
}

} // namespace avocet::compiler::schedule
