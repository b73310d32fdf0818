//===- SupportAnswersTest.cpp - Answers about support that are kept -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a compiler only a kept answer can be given: restart(false) shows whether one was found.
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"

#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

#include <fstream>
#include <tuple>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
namespace fs = std::filesystem;

class SupportAnswersTest : public CacheFixture {
protected:
  void ask(const Model &model) {
    auto answer = device_->getSupportedOperations(model);
    ASSERT_TRUE(answer.isOk()) << answer.error().message;
  }
  bool isAnswered(const Model &model) { return device_->getSupportedOperations(model).isOk(); }

  fs::path keptIn() const { return folder_ / "driver" / "support"; }
  /// The files of answers, which have names of 64 letters.
  std::vector<fs::path> kept() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(keptIn()))
      if (entry.path().filename().string().size() == 64)
        found.push_back(entry.path());
    return found;
  }
};

/// An addition, and an operation of an extension that the device does not have.
Model partlySupportedModel() {
  Model model = addModel({2, 3});
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  main.operands.push_back(tensor(OperandType::TensorFloat32, {2, 3}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({extensionOperation(1, 0), {3}, {4}});
  main.outputIndexes = {4};
  model.extensionNameToPrefix = {{"com.example.unknown", 1}};
  return model;
}

TEST_F(SupportAnswersTest, SecondDeviceAnswersWithoutCompiler) {
  ask(model_);
  restart(false);
  auto answer = device_->getSupportedOperations(model_);
  ASSERT_TRUE(answer.isOk()) << answer.error().message;
  EXPECT_THAT(answer->supported, ElementsAre(true));
  EXPECT_EQ(answer->reasons.size(), 1u);
  EXPECT_FALSE(device_->prepareModel(model_, {}).isOk()) << "the compiler was there after all";
}

TEST_F(SupportAnswersTest, KeepsReasonsOfRefusals) {
  auto first = device_->getSupportedOperations(partlySupportedModel());
  ASSERT_TRUE(first.isOk()) << first.error().message;
  ASSERT_THAT(first->supported, ElementsAre(true, false));
  restart(false);
  auto second = device_->getSupportedOperations(partlySupportedModel());
  ASSERT_TRUE(second.isOk()) << second.error().message;
  EXPECT_EQ(second->supported, first->supported);
  const Unsupported &before = first->reasons[1], &after = second->reasons[1];
  EXPECT_FALSE(after.rule.empty());
  EXPECT_EQ(std::tie(after.operation, after.operand, after.rule, after.value, after.limit),
            std::tie(before.operation, before.operand, before.rule, before.value, before.limit));
}

TEST_F(SupportAnswersTest, OtherShapesAreAnotherQuestion) {
  ask(addModel({2, 3}));
  restart(false);
  EXPECT_TRUE(isAnswered(addModel({2, 3})));
  EXPECT_FALSE(isAnswered(addModel({3, 2})));
}

TEST_F(SupportAnswersTest, OtherSmallConstantsAreAnotherQuestion) {
  ask(addConstantModel({1, 2, 3}));
  restart(false);
  EXPECT_TRUE(isAnswered(addConstantModel({1, 2, 3})));
  EXPECT_FALSE(isAnswered(addConstantModel({1, 2, 4})));
}

TEST_F(SupportAnswersTest, LargeRealConstantsDoNotMatter) {
  ask(addConstantModel(std::vector<float>(2000, 1)));
  restart(false);
  EXPECT_TRUE(isAnswered(addConstantModel(std::vector<float>(2000, 2))));
  EXPECT_FALSE(isAnswered(addConstantModel(std::vector<float>(2001, 1))));
}

TEST_F(SupportAnswersTest, OtherTargetDoesNotAnswer) {
  ask(model_);
  DriverOptions options = cachingOptions();
  options.target = "m512";
  restart(options, false);
  EXPECT_FALSE(isAnswered(model_));
}

TEST_F(SupportAnswersTest, DamagedAnswerIsAskedAnew) {
  ask(model_);
  ASSERT_EQ(kept().size(), 1u);
  const std::string name = fs::relative(kept()[0], folder_).string();
  const std::vector<uint8_t> whole = contents(name);
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    std::vector<uint8_t> damaged = whole;
    damaged[byte] ^= 1;
    rewrite(name, damaged);
    restart(false);
    ASSERT_FALSE(isAnswered(model_)) << "byte " << byte;
    // A damaged entry is removed.
    std::ofstream(folder_ / name).close();
    fs::permissions(folder_ / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  rewrite(name, std::vector<uint8_t>(whole.begin(), whole.end() - 1));
  restart();
  ask(model_);
  EXPECT_EQ(contents(name), whole) << "it was not kept again";
}

TEST_F(SupportAnswersTest, AnswerOfAnotherFolderIsForeign) {
  ask(model_);
  ASSERT_EQ(kept().size(), 1u);
  const fs::path foreign = folder_ / "foreign";
  fs::copy_file(kept()[0], foreign);
  const fs::path name = kept()[0].filename();
  device_.reset();
  driver_.reset();
  fs::remove_all(folder_ / "driver");
  restart(false);
  fs::copy_file(foreign, keptIn() / name);
  EXPECT_FALSE(isAnswered(model_));
}

TEST_F(SupportAnswersTest, FailureWithoutCompilerIsNotKept) {
  restart(false);
  EXPECT_FALSE(isAnswered(model_));
  EXPECT_TRUE(kept().empty());
  restart();
  ask(model_);
}

} // namespace
} // namespace avocet::hal
