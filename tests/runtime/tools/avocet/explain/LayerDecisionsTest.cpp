//===- LayerDecisionsTest.cpp - Remarks as decisions ----------*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/LayerDecisions.h"

#include "SmallModel.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/documents/Remarks.h"
#include "explain/DecisionText.h"
#include "model/HintFiles.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using compiler::RemarkKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Arguments = std::vector<compiler::Remark::Argument>;

/// A model of four layers, whose second has an operator "m:conv".
class LayerDecisionsTest : public testing::Test {
protected:
  LayerDecisionsTest() {
    cache::ModelDescription description = cache::smallModel();
    description.layers.resize(4, description.layers[0]);
    description.sourceMap = {{1, 0, "m:conv"}};
    model_ = cache::ModelCache::adopt(cache::writeModelCache(description).value(), "m").value();
  }

  void remark(RemarkKind kind, const char *name, const char *location, const Arguments &arguments) {
    remarks_.emplace_back(compiler::Remark{kind, "schedule", name, location, arguments});
  }
  std::vector<documents::Decision> decisions() const { return documents::groupDecisions(*model_, remarks_); }

  static std::vector<std::string> choicesOf(const documents::Decision &decision) {
    std::vector<std::string> choices;
    for (const documents::OwnedRemark *remark : decision.choices)
      choices.emplace_back(remark->argument("Choice"));
    return choices;
  }

  std::shared_ptr<const cache::ModelCache> model_;
  std::vector<documents::OwnedRemark> remarks_;
};

TEST_F(LayerDecisionsTest, AlternativesFollowTheirChoice) {
  remark(RemarkKind::Passed, "cascade", "m:a", {{"Choice", "alone"}, {"Layer", "0"}, {"LastLayer", "2"}});
  remark(RemarkKind::Missed, "cascade", "m:a", {{"Choice", "with more"}, {"Layer", "0"}, {"LastLayer", "3"}});
  remark(RemarkKind::Passed, "weights", "m:conv", {{"Choice", "plain"}});
  remark(RemarkKind::Failed, "cascade", "m:a", {{"Choice", "with less"}, {"Layer", "0"}});
  const auto found = decisions();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(choicesOf(found[0]), ElementsAre("alone", "with more", "with less"));
  EXPECT_THAT(found[0].layers, ElementsAre(0, 1, 2)) << "those of what was chosen";
  EXPECT_EQ(found[0].taken(), &remarks_[0]);
  EXPECT_THAT(found[1].layers, ElementsAre(1)) << "by its operator in the file";
}

TEST_F(LayerDecisionsTest, SecondOperationHasItsOwnDecision) {
  for (const char *choice : {"4 x 4 x 8", "2 x 2 x 8"})
    remark(RemarkKind::Passed, "block", "m:conv", {{"Choice", choice}, {"Layer", "1"}});
  remark(RemarkKind::Missed, "block", "m:conv", {{"Choice", "8 x 8 x 8"}, {"Layer", "1"}});
  const auto found = decisions();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(choicesOf(found[0]), ElementsAre("4 x 4 x 8"));
  EXPECT_THAT(choicesOf(found[1]), ElementsAre("2 x 2 x 8", "8 x 8 x 8"));
}

TEST_F(LayerDecisionsTest, LastOfSeveralPlansIsTaken) {
  remark(RemarkKind::Passed, "plan", "m", {{"Choice", "first"}});
  remark(RemarkKind::Missed, "plan", "m", {{"Choice", "second"}});
  remark(RemarkKind::Passed, "plan", "m", {{"Choice", "third"}});
  const auto found = decisions();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].layers, IsEmpty());
  EXPECT_EQ(found[0].taken(), &remarks_[2]);
}

TEST_F(LayerDecisionsTest, FailedFusionTakesNothing) {
  remark(RemarkKind::Failed, "residual", "m:conv", {{"Reason", "the sum has another reader"}});
  const auto found = decisions();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].taken(), nullptr);
}

TEST_F(LayerDecisionsTest, FactsAreNoDecisions) {
  remark(RemarkKind::Analysis, "layer", "m:conv", {{"Cycles", "100"}, {"Layer", "1"}});
  EXPECT_THAT(decisions(), IsEmpty());
}

TEST_F(LayerDecisionsTest, UnknownLayersAreLeftOut) {
  remark(RemarkKind::Passed, "cascade", "m:a", {{"Choice", "alone"}, {"Layer", "3"}, {"LastLayer", "4294967295"}});
  EXPECT_THAT(decisions()[0].layers, ElementsAre(3));
}

TEST_F(LayerDecisionsTest, AlternativesHaveNumbersAndHints) {
  remark(RemarkKind::Passed, "cascade", "m:a", {{"Choice", "alone"}, {"Hint", R"({"cut":"a"})"}});
  remark(RemarkKind::Missed, "cascade", "m:a", {{"Choice", "with more"}, {"Hint", R"({"cut":"b"})"}});
  remark(RemarkKind::Failed, "cascade", "m:a", {{"Choice", "with all"}});
  remark(RemarkKind::Missed, "block", "m:a", {{"Choice", "4 x 4 x 8"}, {"Hint", R"({"cut":"c"})"}});
  const std::string text = decisionText(remarks_, 100);
  EXPECT_THAT(text, HasSubstr("\n2  cascade: with all"));
  EXPECT_TRUE(text.ends_with("now  {\"cut\":\"a\"}\n  1  {\"cut\":\"b\"}\n  3  {\"cut\":\"c\"}\n")) << text;
}

TEST_F(LayerDecisionsTest, HintFileHasTheHintsOfChoices) {
  remark(RemarkKind::Passed, "cascade", "m:a", {{"Choice", "alone"}, {"Hint", R"({"cut":"a"})"}});
  remark(RemarkKind::Missed, "cascade", "m:a", {{"Choice", "with more"}, {"Hint", R"({"cut":"b"})"}});
  remark(RemarkKind::Passed, "block", "m:a", {{"Choice", "4 x 4 x 8"}});
  remark(RemarkKind::Passed, "transfers", "m:a", {{"Choice", "slack"}, {"Hint", R"({"cut":"c"})"}});
  EXPECT_EQ(documents::hintFile(remarks_),
            "{\"schemaVersion\": 1, \"hints\": [\n{\"cut\":\"a\"},\n{\"cut\":\"c\"}\n]}\n");
  EXPECT_EQ(documents::remarkJson(remarks_[0])["arguments"]["Hint"]["cut"], "a") << "an object";
}

} // namespace
} // namespace avocet::tool::test
