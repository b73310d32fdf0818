//===- Elapsed.h - Time since a moment --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_ELAPSED_H
#define AVOCET_SESSION_ELAPSED_H

#include <chrono>

namespace avocet::session {

/// Host time.
inline double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace avocet::session

#endif // AVOCET_SESSION_ELAPSED_H
