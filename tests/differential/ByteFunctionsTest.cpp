//===- ByteFunctionsTest.cpp - 8-bit functions of all inputs --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteFunctions.h"
#include "Sanitizer.h"
#include "Targets.h"

#include <gtest/gtest.h>

namespace avocet::differential {
namespace {

class ByteFunctionTest : public testing::TestWithParam<const ByteFunction *> {};

/// `avocetDifferential --byte-functions 1000` compares more.
TEST_P(ByteFunctionTest, EqualsTheReferenceForAllInputs) {
  for (const char *target : kTargets)
    EXPECT_EQ(compareByteFunction(*GetParam(), target, 1, static_cast<uint32_t>(casesOf(25, 5))), "") << target;
}

std::vector<const ByteFunction *> pointers() {
  std::vector<const ByteFunction *> all;
  for (const ByteFunction &function : byteFunctions())
    all.push_back(&function);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Functions, ByteFunctionTest, testing::ValuesIn(pointers()),
                         [](const auto &info) { return std::string(info.param->name); });

} // namespace

// Makes GoogleTest print a parameter as its name.
void PrintTo(const ByteFunction *function, std::ostream *stream) { *stream << function->name; }

} // namespace avocet::differential
