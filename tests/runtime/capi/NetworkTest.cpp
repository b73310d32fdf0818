//===- NetworkTest.cpp - Networks through the C library -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <fstream>
#include <iterator>

namespace avocet::capi::test {
namespace {

using ::testing::HasSubstr;

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(CapiTest, MissingFileIsNotFound) {
  AvocetNetwork *network = nullptr;
  const Outcome outcome(avocetNetworkOpen("/nonexistent.tflite", &network));
  EXPECT_EQ(outcome.code, AVOCET_NOT_FOUND);
  EXPECT_THAT(outcome.message, HasSubstr("/nonexistent.tflite"));
}

TEST_F(CapiTest, WrongBytesAreDataLoss) {
  AvocetModel *model = nullptr;
  const std::string bytes("\x1c\0\0\0TFL3 damaged", 16);
  const auto network = inMemory(bytes, "damaged.tflite");
  EXPECT_EQ(Outcome(avocetNetworkCompile(network.get(), nullptr, &model)).code, AVOCET_DATA_LOSS);
}

TEST_F(CapiTest, NetworkInMemoryGivesTheSameModel) {
  const std::string bytes = contents(kDigits);
  const auto fromMemory = compile(inMemory(bytes, "digits_int8.tflite").get()), fromFile = digits();
  EXPECT_DONE(avocetModelSave(fromMemory.get(), (folder() + "/memory").c_str()));
  EXPECT_DONE(avocetModelSave(fromFile.get(), (folder() + "/file").c_str()));
  EXPECT_EQ(contents(folder() + "/memory/data.avod"), contents(folder() + "/file/data.avod"));
  EXPECT_STREQ(avocetModelName(fromMemory.get()), "digits_int8");
}

TEST_F(CapiTest, SavedModelRunsAsTheFirst) {
  set("target", "m512");
  const auto model = digits();
  EXPECT_DONE(avocetModelSave(model.get(), folder().c_str()));
  AvocetModel *loaded = nullptr;
  EXPECT_DONE(avocetModelOpen(folder().c_str(), nullptr, &loaded));
  const Owned<AvocetModel> owner(loaded, avocetModelDestroy);
  EXPECT_STREQ(avocetModelTarget(loaded), "m512");
  const auto first = runOf(model.get()), second = runOf(loaded);
  for (const auto *run : {&first, &second}) {
    std::memset(avocetTensorData(tensor(run->get(), AVOCET_INPUT)), 9, 784);
    EXPECT_DONE(avocetRunExecute(run->get()));
  }
  EXPECT_EQ(bytesOf(tensor(first.get(), AVOCET_OUTPUT)), bytesOf(tensor(second.get(), AVOCET_OUTPUT)));
  EXPECT_EQ(avocetRunCycles(first.get()), avocetRunCycles(second.get()));
}

TEST_F(CapiTest, TargetAsTextIsSavedWithItsModel) {
  std::string text = contents(AVOCET_SOURCE_DIR "/firmware_iface/targets/e256.toml");
  text.replace(text.find("\"e256\""), 6, "\"own\"");
  set("target-text", text);
  const auto model = digits();
  EXPECT_STREQ(avocetModelTarget(model.get()), "own");
  EXPECT_DONE(avocetModelSave(model.get(), folder().c_str()));
  AvocetModel *loaded = nullptr;
  EXPECT_DONE(avocetModelOpen(folder().c_str(), nullptr, &loaded));
  EXPECT_STREQ(avocetModelTarget(loaded), "own");
  EXPECT_DONE(avocetModelSave(loaded, (folder() + "/again").c_str()));
  EXPECT_EQ(contents(folder() + "/target.toml"), contents(folder() + "/again/target.toml"));
  avocetModelDestroy(loaded);
}

TEST_F(CapiTest, ChangedTargetTakesOtherCycles) {
  const uint64_t before = avocetModelPredictedCycles(digits().get());
  set("target-change", "dram.bandwidth=1/8");
  const auto model = digits();
  EXPECT_STREQ(avocetModelTarget(model.get()), "e256-changed");
  EXPECT_GT(avocetModelPredictedCycles(model.get()), before);
  EXPECT_THAT(Outcome(avocetOptionsSet(options_, "target-change", "sram")).message, HasSubstr("sram.bytes=1048576"));
}

TEST_F(CapiTest, CheckAcceptsWhatCompiles) { EXPECT_DONE(avocetNetworkCheck(open(kDigits).get(), options_)); }

TEST_F(CapiTest, RefusalHasItsReason) {
  set("target", "e256s");
  const auto network = inMemory(kRefused);
  AvocetModel *model = nullptr;
  for (AvocetError *error :
       {avocetNetworkCheck(network.get(), options_), avocetNetworkCompile(network.get(), options_, &model)}) {
    EXPECT_EQ(avocetErrorCode(error), AVOCET_UNSUPPORTED);
    ASSERT_EQ(avocetErrorReasonCount(error), 1u);
    EXPECT_STREQ(avocetErrorReason(error, 0, AVOCET_REASON_OPERATOR), "LOCAL_RESPONSE_NORMALIZE");
    EXPECT_STREQ(avocetErrorReason(error, 0, AVOCET_REASON_RULE), "bytes of on-chip memory for the smallest tile");
    EXPECT_STREQ(avocetErrorReason(error, 0, AVOCET_REASON_VALUE), "524288");
    EXPECT_STREQ(avocetErrorReason(error, 0, AVOCET_REASON_LIMIT), "368640");
    EXPECT_THAT(avocetErrorReason(error, 0, AVOCET_REASON_ADVICE), HasSubstr("more on-chip memory"));
    EXPECT_EQ(avocetErrorReason(error, 1, AVOCET_REASON_RULE), nullptr);
    EXPECT_EQ(avocetErrorReason(error, 0, 99), nullptr);
    avocetErrorDestroy(error);
  }
  EXPECT_EQ(model, nullptr);
}

TEST_F(CapiTest, FailedCompilationHasDiagnosticsAsJson) {
  set("target", "e256s");
  AvocetModel *model = nullptr;
  AvocetError *error = avocetNetworkCompile(inMemory(kRefused).get(), options_, &model);
  EXPECT_THAT(avocetErrorJson(error), HasSubstr("\"unsupported\": ["));
  avocetErrorDestroy(error);
}

TEST_F(CapiTest, RefusedNetworkIsExplained) {
  set("target", "e256s");
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetNetworkExplain(inMemory(kRefused).get(), options_, &report));
  EXPECT_THAT(textOf(report), HasSubstr("\"rule\": \"bytes of on-chip memory for the smallest tile\""));
}

TEST_F(CapiTest, ProgressNamesEachPhase) {
  std::string told;
  const auto add = [](void *user, const char *what, uint32_t done, uint32_t total) {
    *static_cast<std::string *>(user) +=
        std::string(what) + " " + std::to_string(done) + "/" + std::to_string(total) + "\n";
  };
  EXPECT_DONE(avocetOptionsSetProgress(options_, add, &told));
  digits();
  EXPECT_THAT(told, HasSubstr("digits_int8.tflite: schedule 3/7\n"));
}

TEST_F(CapiTest, CancelledCompilationIsAborted) {
  EXPECT_DONE(avocetOptionsSetCancelled(options_, [](void *) -> int32_t { return 1; }, nullptr));
  AvocetModel *model = nullptr;
  EXPECT_EQ(Outcome(avocetNetworkCompile(open(kDigits).get(), options_, &model)).code, AVOCET_ABORTED);
}

TEST_F(CapiTest, EveryOptionRefusesNonsenseOrTakesText) {
  for (size_t i = 0; avocetOptionName(i) != nullptr; ++i) {
    EXPECT_STRNE(avocetOptionHelp(i), "");
    const Outcome outcome(avocetOptionsSet(options_, avocetOptionName(i), "\"nonsense"));
    if (outcome.code != AVOCET_OK)
      EXPECT_THAT(outcome.message, HasSubstr(std::string("option ") + avocetOptionName(i)));
  }
  EXPECT_DONE(avocetOptionsSet(options_, "optimise", "0")); // a former name
  EXPECT_THAT(Outcome(avocetOptionsSet(options_, "tagret", "e256")).message, HasSubstr("the options are target, "));
  EXPECT_THAT(Outcome(avocetOptionsSet(options_, "mode", "fast")).message,
              HasSubstr("is 'fast', must be functional or timing or both"));
}

} // namespace
} // namespace avocet::capi::test
