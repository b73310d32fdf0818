//===- PluginTest.cpp - Runs on a plug-in through the C library -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <cstdlib>
#include <cstring>

namespace avocet::capi::test {
namespace {

using ::testing::HasSubstr;

class CapiPluginTest : public CapiTest {
protected:
  void TearDown() override {
    ::unsetenv("AVOCET_BACKENDS");
    CapiTest::TearDown();
  }
  /// The outputs of the network for an input of equal values.
  std::string outputsOn(const AvocetModel *model, const char *place) {
    const auto run = runOf(model, device(place).get());
    AvocetTensor *input = tensor(run.get(), AVOCET_INPUT);
    std::memset(avocetTensorData(input), 20, avocetTensorBytes(input));
    EXPECT_DONE(avocetRunExecute(run.get()));
    EXPECT_GT(avocetRunCycles(run.get()), 0u);
    return bytesOf(tensor(run.get(), AVOCET_OUTPUT));
  }
};

TEST_F(CapiPluginTest, RunsByPathAndByName) {
  const auto model = digits();
  const std::string expected = outputsOn(model.get(), "sim");
  ::setenv("AVOCET_BACKENDS", AVOCET_MINE_PLUGIN, 1);
  EXPECT_EQ(outputsOn(model.get(), AVOCET_MINE_PLUGIN), expected);
  EXPECT_EQ(outputsOn(model.get(), "mine"), expected);
}

TEST_F(CapiPluginTest, UnknownAndWrongPluginsAreRefused) {
  AvocetDevice *device = nullptr;
  const Outcome unknown(avocetDeviceOpen("mine", options_, &device));
  EXPECT_EQ(unknown.code, AVOCET_NOT_FOUND);
  EXPECT_THAT(unknown.message, HasSubstr("must be cpu, service:NAME, or a back end: there is no back end 'mine'"));
  const Outcome wrong(avocetDeviceOpen(kDigits.c_str(), options_, &device));
  EXPECT_EQ(wrong.code, AVOCET_FAILED_PRECONDITION);
  EXPECT_THAT(wrong.message, HasSubstr("digits_int8.tflite cannot be used as a back end: it is no ELF file"));
  EXPECT_EQ(device, nullptr);
}

TEST_F(CapiPluginTest, PluginsAreListed) {
  ::setenv("AVOCET_BACKENDS", AVOCET_MINE_PLUGIN, 1);
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetDeviceList(options_, &report));
  EXPECT_THAT(textOf(report), ::testing::ContainsRegex("\"name\": \"mine\",\\s*\"kind\": \"plug-in\""));
}

} // namespace
} // namespace avocet::capi::test
