//===- HeapPages.h - Large pages for the heap -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a program that allocates tens of megabytes and ends: with pages of 4 KiB, a compilation of MobileNet v2 spends a
// sixth of its time in page faults.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_HEAPPAGES_H
#define AVOCET_BASE_HEAPPAGES_H

namespace avocet {

/// Has the main thread's heap grow in steps of 64 MiB on pages of 2 MiB, where the kernel has them, and keep what is
/// freed. Address space is used at once, memory page by page. It adds 1.4 ms to a program that needs little. A hint:
/// without glibc's allocator, or on another thread than the main one, there are no large pages. Calls after the first
/// do nothing. Thread-safe.
void useLargePagesForHeap();

} // namespace avocet

#endif // AVOCET_BASE_HEAPPAGES_H
