//===- Targets.h - The shipped targets -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_TARGETS_H
#define AVOCET_TESTS_DIFFERENTIAL_TARGETS_H

#include <array>

namespace avocet::differential {

inline constexpr std::array kTargets = {"e256", "e256s", "m512", "p4096"};

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_TARGETS_H
