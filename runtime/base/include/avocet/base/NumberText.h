//===- NumberText.h - Numbers for people ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_NUMBERTEXT_H
#define AVOCET_BASE_NUMBERTEXT_H

#include <cstdint>
#include <string>

namespace avocet {

/// 1234567 as "1,234,567".
std::string withCommas(uint64_t number);

/// Bytes as "512 B", "12.3 KiB", "4.0 MiB".
std::string formatBytes(uint64_t bytes);

/// "1.5 uJ", "2.50 mJ".
std::string formatEnergy(double picojoules);

/// Large counts as "950", "12.5 k", "300.8 M".
std::string formatCount(uint64_t count);

} // namespace avocet

#endif // AVOCET_BASE_NUMBERTEXT_H
