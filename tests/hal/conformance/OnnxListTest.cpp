//===- OnnxListTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnx/OnnxList.h"
#include "../../support/TemporaryFolder.h"
#include "avocet/base/File.h"

#include <gmock/gmock.h>

namespace avocet::tool {
namespace {

using namespace hal::conformance;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CaseResult resultOf(const std::string &name, Verdict verdict, const std::string &reason = "") {
  CaseResult result;
  result.info.name = name;
  result.runs.push_back({.kind = RunKind::General, .verdict = verdict, .reason = reason, .detail = ""});
  return result;
}

class OnnxListTest : public testing::Test {
protected:
  Result<OnnxList> read(const std::string &text) {
    const std::string path = (folder_.path() / "list.tsv").string();
    EXPECT_TRUE(writeFile(path, text).isOk());
    return OnnxList::read(path);
  }

  test::TemporaryFolder folder_{"avocetOnnx"};
};

TEST_F(OnnxListTest, AcceptsListedVerdicts) {
  const auto list = read("# why\nnode/a\tunsupported\tstrings\nnode/b\tfailed\trounds otherwise\n");
  ASSERT_TRUE(list) << list.status().message();
  EXPECT_THAT(
      list->differences({resultOf("node/a", Verdict::Unsupported, "strings"),
                         resultOf("node/b", Verdict::Failed, "wrong result"), resultOf("node/c", Verdict::Passed)},
                        true),
      IsEmpty());
}

TEST_F(OnnxListTest, ReportsEachOtherVerdict) {
  const auto list = read(
      "a\tunsupported\tstrings\nb\tunsupported\tstrings\nc\tfailed\trounds otherwise\ne\tfailed\tx\ngone\tfailed\tx\n");
  ASSERT_TRUE(list) << list.status().message();
  const std::vector<CaseResult> results = {
      resultOf("a", Verdict::Passed), resultOf("b", Verdict::Unsupported, "sequences"), resultOf("c", Verdict::Passed),
      resultOf("d", Verdict::Failed, "wrong result"), resultOf("e", Verdict::Failed, "does not compile")};
  EXPECT_THAT(list->differences(results, true),
              ElementsAre("a is listed as unsupported: strings; found is passed",
                          "b is listed as unsupported: strings; found is unsupported: sequences",
                          "c is listed as failed: rounds otherwise; found is passed",
                          "d is not listed, and failed: wrong result",
                          "e is listed as failed: x; found is failed: does not compile",
                          "gone is listed, but there is no such model"));
  EXPECT_EQ(list->differences(results, false).size(), 5u);
}

TEST_F(OnnxListTest, UpdateKeepsCommentsAndListedFailures) {
  const auto list = read("# why\nb\tfailed\trounds otherwise\nc\tunsupported\told\n");
  ASSERT_TRUE(list) << list.status().message();
  EXPECT_EQ(
      list->updated({resultOf("a", Verdict::Unsupported, "strings"), resultOf("b", Verdict::Failed, "wrong result"),
                     resultOf("c", Verdict::Passed), resultOf("d", Verdict::Failed, "wrong result")}),
      "# why\na\tunsupported\tstrings\nb\tfailed\trounds otherwise\n");
}

TEST_F(OnnxListTest, RefusesLinesOfAnotherForm) {
  for (const char *line : {"name", "name\tunsupported", "name\tpassed\tx", "name unsupported x"}) {
    const auto list = read(std::string("# first\n") + line + "\n");
    ASSERT_FALSE(list) << line;
    EXPECT_EQ(list.status().code(), StatusCode::InvalidArgument);
    EXPECT_THAT(std::string(list.status().message()), HasSubstr("list.tsv:2: must be"));
  }
}

} // namespace
} // namespace avocet::tool
