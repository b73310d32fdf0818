//===- ChecksumTest.cpp - Tests of checksums --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Checksum.h"

#include "OutputFolder.h"

#include <fmt/format.h>

namespace avocet {
namespace {

std::string toHex(const Checksum &checksum) {
  std::string text;
  for (uint8_t byte : checksum)
    text += fmt::format("{:02x}", byte);
  return text;
}

/// Existing files contain these values: a change of the library or of the byte order would make them unreadable.
TEST(ChecksumTest, MatchesXxhsum) {
  EXPECT_EQ(toHex(checksumOf({})), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(toHex(checksumOf({bytesOf("abc")})), "06b05ab6733a618578af5f94892f3950");
}

TEST(ChecksumTest, PartsHashAsOneRange) {
  const std::string text(5000, 'x');
  for (size_t split : {0u, 1u, 63u, 64u, 240u, 241u, 4999u, 5000u})
    EXPECT_EQ(checksumOf({bytesOf(text).first(split), bytesOf(text).subspan(split)}), checksumOf({bytesOf(text)}));
}

} // namespace
} // namespace avocet
