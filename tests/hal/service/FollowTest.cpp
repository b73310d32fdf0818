//===- FollowTest.cpp - Messages and spans of one model -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include "avocet/base/Trace.h"
#include "avocet/hal/types/VerboseLog.h"

#include <gmock/gmock.h>

namespace avocet::hal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FollowTest : public ServiceFixture {
protected:
  void TearDown() override {
    setVerboseTags(0);
    Trace::activate(nullptr);
    ServiceFixture::TearDown();
  }

  /// Finds the device, prepares a model, runs it by a call and through message queues, and allocates a buffer.
  void useModel() {
    ASSERT_TRUE(listDevices(path_).isOk());
    std::shared_ptr<IDevice> device = connect("npu", {.burst = BurstKind::Queues, .queues = {}});
    auto prepared = device->prepareModel(addModel({4}), {});
    ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
    Sum sum;
    ASSERT_TRUE((*prepared)->execute(sum.request, {}).isOk());
    sum.expectResult();
    auto burst = (*prepared)->configureBurst();
    ASSERT_TRUE(burst.isOk()) << burst.error().message;
    ASSERT_TRUE((*burst)->execute(sum.request, {0, 1}, {}).isOk());
    ASSERT_TRUE(device->allocate({}, {{*prepared, 0, 1.0f}}, {}).isOk());
  }

  std::string messagesOf(VerboseTags tags) {
    setVerboseTags(tags);
    ::testing::internal::CaptureStderr();
    useModel();
    service_.reset();
    return ::testing::internal::GetCapturedStderr();
  }
};

struct Documented {
  VerboseTag tag;
  std::vector<std::string> messages;
};
class TagTest : public FollowTest, public ::testing::WithParamInterface<Documented> {};

TEST_P(TagTest, PrintsItsMessagesOnly) {
  const std::string name(toString(GetParam().tag));
  const std::string text = messagesOf(1U << static_cast<uint32_t>(GetParam().tag));
  for (const std::string &message : GetParam().messages)
    EXPECT_THAT(text, HasSubstr(" " + name + ": " + message));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, HasSubstr(" " + name + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    VerboseLog, TagTest,
    ::testing::Values(Documented{VerboseTag::Model, {"model of 1 operations, 4 operands, 2 inputs, 1 outputs"}},
                      Documented{VerboseTag::Compilation, {"prepare a model of 1 operations", "prepared after "}},
                      Documented{VerboseTag::Execution, {"execution: NONE", "burst: request of "}},
                      Documented{VerboseTag::Manager, {"service at ", "device npu of the service at "}},
                      Documented{VerboseTag::Driver,
                                 {"client '", "client: call PrepareModel", "service: call PrepareModel",
                                  "client: call Execute", "service: call Execute"}},
                      Documented{VerboseTag::Memory, {"buffer 1 allocated for 1 roles", "buffer 1 freed"}}),
    [](const auto &info) { return std::string(toString(info.param.tag)); });

TEST_F(FollowTest, NothingIsPrintedWithoutTags) { EXPECT_THAT(messagesOf(0), IsEmpty()); }

TEST_F(FollowTest, TraceHoldsClientServiceAndDriver) {
  Trace trace;
  Trace::activate(&trace);
  useModel();
  service_.reset(); // its threads end their spans
  Trace::activate(nullptr);
  const std::string json = trace.toJson();
  for (auto span : {"[NN_LI_PC]client PrepareModel", "[NN_LI_PC]service PrepareModel", "[NN_LD_PC]prepareModel",
                    "[NN_LI_PE]client Execute", "[NN_LI_PE]service Execute", "[NN_LD_PE]execute",
                    "[NN_LI_PE]client burst", "[NN_LI_PE]service burst"})
    EXPECT_THAT(json, HasSubstr(span));
}

TEST_F(FollowTest, NoSpanIsKeptWithoutTrace) {
  Trace trace;
  useModel();
  EXPECT_EQ(trace.size(), 0U);
}

} // namespace
} // namespace avocet::hal::testing
