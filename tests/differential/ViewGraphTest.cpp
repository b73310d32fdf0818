//===- ViewGraphTest.cpp - Random graphs of operators that move elements --===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewGraph.h"

#include "Avocet.h"
#include "Targets.h"

#include "Sanitizer.h"

#include <gtest/gtest.h>

#include <tuple>

namespace avocet::differential {
namespace {

constexpr const char *kTight = "tight"; ///< names tightTarget()

class ViewGraphTest : public testing::TestWithParam<std::tuple<const char *, Kind>> {};

TEST_P(ViewGraphTest, MovesElementsAsTheOperatorsSay) {
  const std::string target = std::get<0>(GetParam());
  const Kind kind = std::get<1>(GetParam());
  const size_t count = casesOf(60, 4);
  size_t refused = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    std::string refusal;
    const Status status = checkViewGraph(kind, seed, target == kTight ? tightTarget() : target, refusal);
    EXPECT_TRUE(status.isOk()) << "avocetDifferential --views 1 --first-seed " << seed << ": " << status.toString();
    refused += refusal.empty() ? 0 : 1;
  }
  EXPECT_LE(refused, count / 10);
}

/// The parts of the inner join cross the borders of rows that are counted from the first byte of the outer one.
TEST(JoinInJoin, InnerJoinAfterOddNumberOfElementsRuns) {
  Draft draft(Kind::I8, 1);
  const Element element = draft.element();
  const int32_t lead = draft.input({5}, element), x = draft.input({3, 4}, element), y = draft.input({3, 6}, element);
  const int32_t inner = draft.model().addTensor({3, 10}, element), flat = draft.model().addTensor({30}, element);
  tflite::ConcatenationOptionsT along;
  along.axis = 1;
  draft.op(BuiltinOperator::CONCATENATION, {x, y}, {inner}, along);
  draft.op(BuiltinOperator::RESHAPE, {inner, draft.integers({30})}, {flat});
  along.axis = 0;
  draft.op(BuiltinOperator::CONCATENATION, {lead, flat}, {draft.output({35}, element)}, along);
  Bytes expected = draft.model().bytes(lead);
  for (size_t row = 0; row < 3; ++row)
    for (const auto &[part, width] : {std::pair{x, 4u}, std::pair{y, 6u}}) {
      const Bytes &bytes = draft.model().bytes(part);
      expected.insert(expected.end(), bytes.begin() + row * width, bytes.begin() + (row + 1) * width);
    }
  const DeviceResult result = runOnDevice(draft.model().finish(), {.sourceMap = true});
  ASSERT_TRUE(result.status.isOk()) << result.status.toString();
  EXPECT_EQ(result.outputs.front(), expected);
}

INSTANTIATE_TEST_SUITE_P(, ViewGraphTest,
                         testing::Combine(testing::Values("e256", "e256s", "m512", "p4096", kTight),
                                          testing::Values(Kind::I8, Kind::I16, Kind::F32)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + kindName(std::get<1>(info.param));
                         });

} // namespace
} // namespace avocet::differential
