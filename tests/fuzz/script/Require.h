//===- Require.h - Conditions that end a fuzz target ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SCRIPT_REQUIRE_H
#define AVOCET_TESTS_FUZZ_SCRIPT_REQUIRE_H

#include <cstdio>
#include <cstdlib>
#include <string>

namespace avocet::fuzz {

/// If the condition is false, prints the reason and aborts, so that libFuzzer keeps the input.
inline void require(bool condition, const std::string &reason) {
  if (condition)
    return;
  std::fprintf(stderr, "fuzz target: %s\n", reason.c_str());
  std::abort();
}

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SCRIPT_REQUIRE_H
