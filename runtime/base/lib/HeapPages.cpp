//===- HeapPages.cpp - Large pages for the heap ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/HeapPages.h"

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet {

#ifdef __GLIBC__
namespace {

constexpr int kStep = 64 << 20;
constexpr int kMostInHeap = 32 << 20; ///< glibc's limit; larger blocks have mappings of their own
constexpr uintptr_t kLargePage = 2 << 20;

/// Larger than what the heap has left when a program starts, so that it grows.
constexpr size_t kFirstBlock = 1 << 20;

uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void growOnLargePages() {
  // Setting one of them ends the automatic adjustment of the others.
  if (!::mallopt(M_TOP_PAD, kStep) || !::mallopt(M_MMAP_THRESHOLD, kMostInHeap) ||
      !::mallopt(M_TRIM_THRESHOLD, INT_MAX))
    return;
  char *const volatile block = static_cast<char *>(std::malloc(kFirstBlock)); // volatile: it must not be optimised away
  const uintptr_t begin = addressOf(block), end = addressOf(::sbrk(0));
  const uintptr_t first = (begin + kLargePage - 1) & ~(kLargePage - 1);
  // Another allocator's blocks are elsewhere.
  if (block != nullptr && first < end && end - first <= kStep + kFirstBlock + kLargePage)
    (void)::madvise(block + (first - begin), end - first, MADV_HUGEPAGE);
  std::free(block);
}

} // namespace

void useLargePagesForHeap() {
  static std::once_flag isDone;
  std::call_once(isDone, growOnLargePages);
}

#else
void useLargePagesForHeap() {}
#endif

} // namespace avocet
