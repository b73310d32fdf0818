//===- OperatorTest.cpp - Every operator through the delegate - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "DelegateClient.h"
#include "Reshaped.h"
#include "Sanitizer.h"
#include "Tester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>

namespace avocet::delegate {
namespace {

using namespace differential;

constexpr uint64_t kCasesOfEach = casesOf(4, 1);

/// Operators that stay with TensorFlow Lite, in part or in some cases.
bool mayStay(BuiltinOperator code) {
  static constexpr BuiltinOperator kOperators[] = {
      BuiltinOperator::IF,           BuiltinOperator::WHILE,         BuiltinOperator::CALL_ONCE, // other subgraphs
      BuiltinOperator::VAR_HANDLE,   BuiltinOperator::READ_VARIABLE, BuiltinOperator::ASSIGN_VARIABLE,
      BuiltinOperator::CONCATENATION}; // operands without elements
  return std::ranges::find(kOperators, code) != std::end(kOperators);
}

struct Verdict {
  bool isOnDevice = false; ///< all of its nodes
  std::string difference;
};

/// Nodes on the device give the bits of Avocet's own run; the rest is TensorFlow Lite's.
Verdict judge(const CaseName &name, Oracle &plain, DelegateClient &client) {
  const TestModel model = draw(*name.row, name.kind, name.seed);
  const OracleRequest request{model.file, model.inputs, model.shapes};
  const Result<std::vector<Bytes>> expected = plain.run(request);
  if (!expected)
    return {}; // this version of the library lacks the operator or the type
  const Result<std::vector<Bytes>> found = client.run(request);
  if (!found)
    return {false, "with the delegate: " + found.status().message()};
  const Summary &summary = client.summary();
  Verdict verdict{summary.nodes > 0 && summary.onDevice == summary.nodes, ""};
  const DeviceResult device = runOnDevice(model);
  const bool hasSameBits = verdict.isOnDevice && device.status.isOk();
  if (device.status.isOk() && !verdict.isOnDevice && !mayStay(name.row->code))
    verdict.difference = fmt::format("{} of {} nodes on the device", summary.onDevice, summary.nodes);
  const std::vector<Bytes> &wanted = hasSameBits ? device.outputs : *expected;
  const Tolerance tolerance{name.row->toleranceOf(name.kind), name.row->stepsOf(name.kind)};
  for (size_t i = 0; i < wanted.size() && i < found->size(); ++i)
    if (std::string text = hasSameBits
                               ? (wanted[i] == (*found)[i] ? "" : "other bits than Avocet's own run")
                               : compare(model.outputs[i % model.outputs.size()], (*found)[i], wanted[i], tolerance);
        !text.empty())
      verdict.difference += fmt::format("; output {}: {}", i, text);
  return verdict;
}

class DelegatedOperatorTest : public testing::TestWithParam<const Row *> {};

TEST_P(DelegatedOperatorTest, GivesTheBitsOfTheDevice) {
  const Result<std::string> library = findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  Oracle plain(*library);
  DelegateClient client(*library);
  for (Kind kind : GetParam()->kinds)
    for (uint64_t seed = 0; seed < kCasesOfEach; ++seed) {
      const CaseName name{GetParam(), kind, seed};
      EXPECT_EQ(judge(name, plain, client).difference, "") << name.text();
    }
}

/// The file records other shapes than those that the application gives to the inputs.
TEST_P(DelegatedOperatorTest, FollowsShapesOfTheApplication) {
  const Result<std::string> library = findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  if (GetParam()->code != BuiltinOperator::CONCATENATION && mayStay(GetParam()->code))
    return; // the library's resource variables hold undefined values then
  Oracle plain(*library);
  DelegateClient client(*library);
  for (Kind kind : GetParam()->kinds) {
    const TestModel model = reshaped(draw(*GetParam(), kind, 1));
    const OracleRequest request{model.file, model.inputs, model.shapes};
    const Result<std::vector<Bytes>> expected = plain.run(request);
    if (!expected)
      continue;
    const Result<std::vector<Bytes>> found = client.run(request);
    ASSERT_TRUE(found) << kindName(kind) << ": " << found.status().message();
    ASSERT_EQ(found->size(), expected->size());
    const Tolerance tolerance{GetParam()->toleranceOf(kind), GetParam()->stepsOf(kind)};
    for (size_t i = 0; i < found->size(); ++i)
      EXPECT_EQ(compare(model.outputs[i % model.outputs.size()], (*found)[i], (*expected)[i], tolerance), "")
          << kindName(kind) << " output " << i;
  }
}

std::vector<const Row *> drawnRows() {
  std::vector<const Row *> rows;
  for (const Row &row : allRows())
    if (row.draw)
      rows.push_back(&row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Operators, DelegatedOperatorTest, testing::ValuesIn(drawnRows()),
                         [](const auto &info) { return std::string(EnumNameBuiltinOperator(info.param->code)); });

} // namespace
} // namespace avocet::delegate

namespace avocet::differential {
void PrintTo(const Row *row, std::ostream *stream) { *stream << EnumNameBuiltinOperator(row->code); }
} // namespace avocet::differential
