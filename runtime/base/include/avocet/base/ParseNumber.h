//===- ParseNumber.h - Numbers from command lines and knobs -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strict numbers. The whole text has to be one number in [least, most]: no spaces, no sign where negative numbers are
// not accepted, no wrap-around, no NaN and no infinity. Errors are InvalidArgument and state the accepted range.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_PARSENUMBER_H
#define AVOCET_BASE_PARSENUMBER_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <string_view>

namespace avocet {

/// Decimal digits, or "0x" and hexadecimal digits. A leading zero does not make a number octal.
Result<uint64_t> parseUnsigned(std::string_view text, uint64_t least, uint64_t most);

/// Decimal digits with an optional minus sign.
Result<int64_t> parseSigned(std::string_view text, int64_t least, int64_t most);

/// "1.5", "-2e3".
Result<double> parseReal(std::string_view text, double least, double most);

/// A number of bytes: decimal digits, then optionally K, M, G or T (powers of 1024, either case, "KB" and "KiB" too).
Result<uint64_t> parseBytes(std::string_view text, uint64_t least, uint64_t most);

} // namespace avocet

#endif // AVOCET_BASE_PARSENUMBER_H
