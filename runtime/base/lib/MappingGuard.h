//===- MappingGuard.h - Keeps the process alive when mapped files shrink -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A peer that shares a file can truncate it while it is mapped; the next access after its new end raises SIGBUS. The
// guard keeps a table of all mappings of the process. It handles such a fault by mapping zero-filled memory in place of
// the lost pages: reads give zeros, writes are lost, and the process continues. Faults elsewhere go to the previous
// handler of SIGBUS. POSIX sigaction() and mmap(MAP_FIXED) as on Linux: SIGBUS of a mapping is synchronous, so the
// handler runs in the thread that touched the memory, which therefore is not inside this guard.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_LIB_MAPPINGGUARD_H
#define AVOCET_BASE_LIB_MAPPINGGUARD_H

#include <cstddef>

namespace avocet::mapping_guard {

/// Guards [start, start + size), one whole mapping, until remove(start). Thread-safe.
void add(void *start, size_t size, bool writable);
void remove(void *start);

/// Whether pages of the range that starts at `start` were lost.
bool isDamaged(void *start);

} // namespace avocet::mapping_guard

#endif // AVOCET_BASE_LIB_MAPPINGGUARD_H
