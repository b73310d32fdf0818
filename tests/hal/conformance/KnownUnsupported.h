//===- KnownUnsupported.h - Operations that the device lacks ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only list of operations that the device does not have. A case may be unsupported only if it contains one of them.
// A case that contains one of them and passes fails the test as well: remove the operation from the list then.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_KNOWNUNSUPPORTED_H
#define AVOCET_TESTS_CONFORMANCE_KNOWNUNSUPPORTED_H

#include <array>
#include <string_view>

namespace avocet::hal::conformance {

struct KnownUnsupported {
  std::string_view operation;
  std::string_view why;
};

inline constexpr std::array<KnownUnsupported, 0> kKnownUnsupported = {};

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_KNOWNUNSUPPORTED_H
