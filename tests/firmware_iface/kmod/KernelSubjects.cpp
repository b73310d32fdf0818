//===- KernelSubjects.cpp - The kernel driver in the conformance suite ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "avocet/runtime/KernelBackend.h"

namespace avocet::runtime::test {

std::vector<Subject> conformanceSubjects() { return {{"kernel", "kernel", {}}}; }

void registerConformanceBackends() { registerKernelBackend(); }

} // namespace avocet::runtime::test
