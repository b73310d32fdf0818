//===- MappingGuard.h - Mapped files that shrink do not kill the process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever shares a file can truncate it while it is mapped; the next access behind its new end raises SIGBUS. The guard
// knows all mappings of the process, and answers such a fault by putting zero-filled memory in the place of the lost
// pages: the reader sees zeros, the writer writes into nothing, and the process lives. Faults elsewhere go to whatever
// handled SIGBUS before. POSIX sigaction() and mmap(MAP_FIXED) as on Linux: SIGBUS of a mapping is synchronous, so the
// handler runs in the thread that touched the memory, which therefore is not inside this guard.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_MAPPINGGUARD_H
#define AVOCET_BASE_LIB_MAPPINGGUARD_H

#include <cstddef>

namespace avocet::mapping_guard {

/// Guards [start, start + size) until remove(start). Pages belong to whole mappings. Thread-safe.
void add(void *start, size_t size, bool writable);
void remove(void *start);

/// Whether pages of the range that starts here were lost.
bool isDamaged(void *start);

} // namespace avocet::mapping_guard

#endif // AVOCET_BASE_LIB_MAPPINGGUARD_H
