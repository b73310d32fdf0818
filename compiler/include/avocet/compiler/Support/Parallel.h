//===- Parallel.h - Work on two threads -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_PARALLEL_H
#define AVOCET_COMPILER_SUPPORT_PARALLEL_H

#include <cstddef>
#include <cstdint>
#include <functional>

namespace avocet::compiler {

/// Calls work(i) once for each i below `count`, on the calling thread and, if `threads` is more than 1 and one can
/// start, on a second one. Returns when all calls have; if the compilation is cancelled, some are left out. `work` must
/// be safe to call at the same time for different i, and must not throw.
void forEachInParallel(size_t count, uint32_t threads, const std::function<void(size_t)> &work);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_PARALLEL_H
