//===- ViewGraphTest.cpp - Random graphs of operators that move elements --===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewGraph.h"

#include "Sanitizer.h"

#include <gtest/gtest.h>

#include <tuple>

namespace avocet::differential {
namespace {

class ViewGraphTest : public testing::TestWithParam<std::tuple<const char *, Kind>> {};

TEST_P(ViewGraphTest, MovesElementsAsTheOperatorsSay) {
  const auto [target, kind] = GetParam();
  const size_t count = casesOf(60, 4);
  size_t refused = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    std::string refusal;
    const Status status = checkViewGraph(kind, seed, target, refusal);
    EXPECT_TRUE(status.isOk()) << "avocetDifferential --views 1 --first-seed " << seed << ": " << status.toString();
    refused += refusal.empty() ? 0 : 1;
  }
  EXPECT_LE(refused, count / 10);
}

INSTANTIATE_TEST_SUITE_P(, ViewGraphTest,
                         testing::Combine(testing::Values("e256", "e256s", "m512", "p4096"),
                                          testing::Values(Kind::I8, Kind::I16, Kind::F32)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + kindName(std::get<1>(info.param));
                         });

} // namespace
} // namespace avocet::differential
