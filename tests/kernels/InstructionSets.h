//===- InstructionSets.h - Vector forms on every machine -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KERNELS_INSTRUCTIONSETS_H
#define AVOCET_TESTS_KERNELS_INSTRUCTIONSETS_H

#include "hwy/targets.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace avocet::kernels {

/// Calls f once for each instruction set of this machine, with the vector forms of that set.
template <typename F> void onEveryInstructionSet(F &&f) {
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
}

} // namespace avocet::kernels

#endif // AVOCET_TESTS_KERNELS_INSTRUCTIONSETS_H
