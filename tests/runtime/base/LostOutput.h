//===- LostOutput.h - Descriptors that cannot be written --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the child of a fork(): what becomes of its standard output (1) or standard error stream (2).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BASE_LOSTOUTPUT_H
#define AVOCET_TESTS_BASE_LOSTOUTPUT_H

#include <unistd.h>

namespace avocet::test {

inline void closeIt(int descriptor) { ::close(descriptor); }

/// A pipe whose reading end is closed.
inline void loseReader(int descriptor) {
  int ends[2];
  if (::pipe(ends) != 0)
    ::_exit(99);
  ::close(ends[0]);
  ::dup2(ends[1], descriptor);
}

} // namespace avocet::test

#endif // AVOCET_TESTS_BASE_LOSTOUTPUT_H
