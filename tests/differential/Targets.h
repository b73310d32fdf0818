//===- Targets.h - The targets that tests run on ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_TARGETS_H
#define AVOCET_TESTS_DIFFERENTIAL_TARGETS_H

#include <array>
#include <string>

namespace avocet::differential {

inline constexpr std::array kTargets = {"e256", "e256s", "m512", "p4096"};

/// Target e256s with 4 KiB of on-chip memory at 5 MHz, so that small networks are cut into pieces and tiles, and their
/// commands into parts between yields, as large ones are.
/// Returns the path of its file, which this process removes at its end.
const std::string &tightTarget();

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_TARGETS_H
