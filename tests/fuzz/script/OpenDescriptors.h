//===- OpenDescriptors.h - Descriptors that a script leaves open --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SCRIPT_OPENDESCRIPTORS_H
#define AVOCET_TESTS_FUZZ_SCRIPT_OPENDESCRIPTORS_H

#include <cstddef>
#include <functional>
#include <string>

namespace avocet::fuzz {

/// Finds inputs after which the process has more descriptors than before. Descriptors that open once and stay (threads,
/// caches) are no leak, so an input is repeated: a leak opens more each time.
class OpenDescriptors {
public:
  /// Performs `run`, the input, up to four times. Aborts if it leaks descriptors.
  void requireNoLeak(const std::function<void()> &run);

private:
  size_t usual_ = 0;
};

/// Waits until `leftOver` returns an empty text. After 8 s, aborts with that text.
void requireNothingLeft(const std::function<std::string()> &leftOver);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SCRIPT_OPENDESCRIPTORS_H
