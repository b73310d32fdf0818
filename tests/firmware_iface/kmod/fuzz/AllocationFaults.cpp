//===- AllocationFaults.cpp - Allocations of the kernel that fail ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Documentation/fault-injection/fault-injection.rst of the kernel.
//
//===----------------------------------------------------------------------===//

#include "AllocationFaults.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>

namespace avocet::fuzz {

namespace {

constexpr uint32_t kLast = 16;
constexpr const char *kNumberOfFault = "/proc/thread-self/fail-nth";

} // namespace

Status permitAllocationFaults() {
  // Also allocations that may wait; no report of each in the log; also single pages.
  for (const char *setting :
       {"failslab/ignore-gfp-wait=N", "failslab/verbose=0", "fail_page_alloc/ignore-gfp-wait=N",
        "fail_page_alloc/ignore-gfp-highmem=N", "fail_page_alloc/min-order=0", "fail_page_alloc/verbose=0"}) {
    const char *sign = std::strchr(setting, '=');
    std::ofstream file("/sys/kernel/debug/" + std::string(setting, sign));
    file << sign + 1 << std::flush;
    if (!file.good())
      return unsupported("the kernel has no fault injection; use scripts/kernelGuest --kernel debug");
  }
  return Status::ok();
}

AllocationFault::AllocationFault(Random &random) : file_(::open(kNumberOfFault, O_RDWR | O_CLOEXEC)) {
  char text[8];
  const int length = std::snprintf(text, sizeof(text), "%u", 1 + random.below(kLast));
  if (file_ >= 0)
    (void)!::pwrite(file_, text, static_cast<size_t>(length), 0);
}

AllocationFault::~AllocationFault() {
  if (file_ >= 0)
    (void)!::pwrite(file_, "0", 1, 0);
  ::close(file_);
}

/// The number counts down with each allocation.
bool AllocationFault::hasHappened() const {
  char first = '1';
  return file_ >= 0 && ::pread(file_, &first, 1, 0) == 1 && first == '0';
}

} // namespace avocet::fuzz
