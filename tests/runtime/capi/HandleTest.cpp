//===- HandleTest.cpp - Wrong, freed and null handles ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <thread>
#include <vector>

namespace avocet::capi::test {
namespace {

using ::testing::HasSubstr;

TEST_F(CapiTest, NullHandlesAreRefused) {
  AvocetModel *model = reinterpret_cast<AvocetModel *>(options_); // must be cleared
  const Outcome outcome(avocetNetworkCompile(nullptr, nullptr, &model));
  EXPECT_EQ(outcome.code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(outcome.message, "no network was given");
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(Outcome(avocetNetworkCompile(open(kDigits).get(), nullptr, nullptr)).code, AVOCET_INVALID_ARGUMENT);
}

TEST_F(CapiTest, FreedHandleIsRefused) {
  AvocetNetwork *network = nullptr;
  ASSERT_EQ(avocetNetworkOpen(kDigits.c_str(), &network), nullptr);
  avocetNetworkDestroy(network);
  avocetNetworkDestroy(network);
  EXPECT_THAT(Outcome(avocetNetworkCheck(network, nullptr)).message, HasSubstr("was destroyed"));
  const auto other = open(kDigits); // has the same place in the table
  EXPECT_NE(other.get(), network);
  EXPECT_EQ(Outcome(avocetNetworkCheck(network, nullptr)).code, AVOCET_INVALID_ARGUMENT);
}

TEST_F(CapiTest, HandleOfAnotherKindIsRefused) {
  const auto *wrong = reinterpret_cast<const AvocetModel *>(options_);
  EXPECT_EQ(avocetModelTensorCount(wrong, AVOCET_INPUT), 0u);
  EXPECT_STREQ(avocetModelName(wrong), "");
  EXPECT_EQ(Outcome(avocetModelSave(wrong, "/tmp")).code, AVOCET_INVALID_ARGUMENT);
}

TEST_F(CapiTest, ValuesOfNullHandlesAreEmpty) {
  EXPECT_EQ(avocetTensorData(nullptr), nullptr);
  EXPECT_EQ(avocetTensorShape(nullptr), nullptr);
  EXPECT_STREQ(avocetReportText(nullptr), "");
  EXPECT_STREQ(avocetErrorMessage(nullptr), "");
  EXPECT_EQ(avocetErrorReason(nullptr, 0, AVOCET_REASON_RULE), nullptr);
  EXPECT_EQ(avocetRunCycles(nullptr), 0u);
  avocetRunDestroy(nullptr);
}

TEST_F(CapiTest, TensorsEndWithTheirRun) {
  auto run = runOf(digits().get());
  const AvocetTensor *input = tensor(run.get(), AVOCET_INPUT);
  EXPECT_EQ(avocetTensorBytes(input), 784u);
  run.reset();
  EXPECT_EQ(avocetTensorBytes(input), 0u);
  EXPECT_EQ(avocetTensorData(input), nullptr);
}

TEST_F(CapiTest, ThreadsMakeAndEndHandlesTogether) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 200; ++round) {
        AvocetOptions *options = nullptr;
        AvocetError *error = avocetOptionsCreate(&options);
        if (error == nullptr)
          error = avocetOptionsSet(options, "optimize", "0");
        EXPECT_EQ(error, nullptr);
        avocetOptionsDestroy(options);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace avocet::capi::test
