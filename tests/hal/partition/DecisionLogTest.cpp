//===- DecisionLogTest.cpp - Messages about plans and fallbacks -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestModels.h"
#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/VerboseLog.h"

#include <gmock/gmock.h>

namespace avocet::hal::test {
namespace {

using enum OperationType;
using ::testing::HasSubstr;

const std::vector<float> kInput = {-1, 2, -3, 4};
constexpr uint64_t kBytes = kLength * sizeof(float);

/// Two devices that divide the model, and the CPU.
struct Devices {
  std::shared_ptr<FakeDevice> first = std::make_shared<FakeDevice>("first", std::set{Add, Mul});
  std::shared_ptr<FakeDevice> second = std::make_shared<FakeDevice>("second", std::set{Relu});
  std::shared_ptr<FakeDevice> cpu = std::make_shared<FakeDevice>("cpu", std::set{Add, Mul, Relu}, 1.0F);

  Result<PartitionedModel> prepare(const PartitionOptions &options = {}) const {
    const std::vector<std::shared_ptr<IDevice>> devices = {first, second};
    return preparePartitioned(chain(), devices, cpu, options);
  }

  /// `whenPrepared` happens between the preparation and the execution.
  void run(const std::function<void()> &whenPrepared) const {
    auto prepared = prepare();
    ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
    whenPrepared();
    const Buffers buffers({kInput}, {kBytes});
    (void)prepared->model->execute(buffers.request(), {});
  }
};

struct Situation {
  const char *name;
  VerboseTag tag;
  void (*happen)(Devices &devices);
  std::vector<std::string> messages;
};

const Situation kSituations[] = {
    {"Division",
     VerboseTag::Compilation,
     [](Devices &devices) { (void)devices.prepare(); },
     {"partition: operation 0 (", "; costs first 0.5, cpu 1", "partition: 3 steps in 1 subgraphs"}},
    {"OneDevice",
     VerboseTag::Compilation,
     [](Devices &devices) {
       devices.first->operations = {Add, Mul, Relu};
       devices.second->operations = {};
       (void)devices.prepare();
     },
     {"partition: the whole model goes to first"}},
    {"NoDevice",
     VerboseTag::Compilation,
     [](Devices &devices) {
       devices.second->operations = devices.cpu->operations = {};
       (void)devices.prepare();
     },
     {"(RELU): no device, first: "}},
    {"MissingCache",
     VerboseTag::Compilation,
     [](Devices &devices) {
       devices.first->hasCache = true;
       PartitionOptions options;
       options.cacheFiles = [](const IDevice &, std::span<const SourceOperation>, StepCacheAccess) {
         return CacheFiles();
       };
       (void)devices.prepare(options);
     },
     {"step on first: no cache files from an earlier preparation"}},
    {"FallbackOfPreparation",
     VerboseTag::CpuExe,
     [](Devices &devices) {
       devices.second->prepareError = ErrorStatus::GeneralFailure;
       (void)devices.prepare();
     },
     {"preparation of a step of second goes to the CPU: GENERAL_FAILURE: "}},
    {"FallbackOfStep",
     VerboseTag::CpuExe,
     [](Devices &devices) { devices.run([&] { devices.second->executeError = ErrorStatus::DeviceUnavailable; }); },
     {"execution of a step of second goes to the CPU: DEVICE_UNAVAILABLE: "}},
    {"FallbackOfWhole",
     VerboseTag::CpuExe,
     [](Devices &devices) {
       devices.first->operations = {Add, Mul, Relu};
       devices.run([&] { devices.first->executeError = ErrorStatus::GeneralFailure; });
     },
     {"execution of first goes to the CPU: GENERAL_FAILURE: "}},
};

class DecisionLogTest : public ::testing::TestWithParam<Situation> {
  void TearDown() override { setVerboseTags(0); }
};

TEST_P(DecisionLogTest, DecisionIsLogged) {
  setVerboseTags(kAllVerboseTags);
  Devices devices;
  ::testing::internal::CaptureStderr();
  GetParam().happen(devices);
  const std::string text = ::testing::internal::GetCapturedStderr();
  for (const std::string &message : GetParam().messages)
    EXPECT_THAT(text, HasSubstr(message));
  EXPECT_THAT(text, HasSubstr(" " + std::string(toString(GetParam().tag)) + ": "));
}

INSTANTIATE_TEST_SUITE_P(Partition, DecisionLogTest, ::testing::ValuesIn(kSituations),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avocet::hal::test
