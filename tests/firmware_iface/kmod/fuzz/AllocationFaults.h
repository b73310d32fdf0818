//===- AllocationFaults.h - Allocations of the kernel that fail -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_ALLOCATIONFAULTS_H
#define AVOCET_TESTS_KMOD_FUZZ_ALLOCATIONFAULTS_H

#include "Random.h"
#include "avocet/base/Status.h"

namespace avocet::fuzz {

/// Makes the kernel's fault injection apply to all allocations of processes that ask for it. Unsupported: the kernel
/// has none.
Status permitAllocationFaults();

/// Lets one allocation of the calling thread fail, between the 1st and the 16th, until the object's end.
class AllocationFault {
public:
  explicit AllocationFault(Random &random);
  ~AllocationFault();
  bool hasHappened() const;

private:
  int file_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_ALLOCATIONFAULTS_H
