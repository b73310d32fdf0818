//===- DecisionLogTest.cpp - Messages about the driver's decisions --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each situation makes the driver decide, with all tags enabled, and then finds the messages under their tag.
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"

#include "avocet/hal/types/VerboseLog.h"
#include "memory/ModelMemory.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <chrono>
#include <future>
#include <thread>

namespace avocet::hal::testing {
namespace {

using ::testing::HasSubstr;

class DecisionLogTest : public CacheFixture {
public:
  using CacheFixture::cachingOptions, CacheFixture::withCache;
  using CacheFixture::connect, CacheFixture::device_, CacheFixture::files_, CacheFixture::folder_;
  using CacheFixture::model_, CacheFixture::open, CacheFixture::prepare, CacheFixture::rewrite;

  void TearDown() override {
    setVerboseTags(0);
    CacheFixture::TearDown();
  }

  void openWithBlobs() {
    DriverOptions options = cachingOptions();
    options.blobCacheBytes = 1 << 20;
    open(options);
  }

  /// Executes with all inputs in one memory file and the outputs in another.
  static ExecutionOutcome run(IPreparedModel &prepared, const ExecutionOptions &options = {}) {
    TestPool inputs(12), outputs(12);
    return prepared.execute(requestOf({12}, {12}, inputs, outputs), options);
  }

  /// ADD of two vectors whose length the request gives.
  static void runOpen(IPreparedModel &prepared, uint32_t length) {
    TestPool inputs(8 * length), outputs(4 * length);
    Request request = requestOf({4 * length, 4 * length}, {4 * length}, inputs, outputs);
    request.inputs[0].dimensions = request.inputs[1].dimensions = {length};
    EXPECT_TRUE(prepared.execute(request, {}).isOk());
  }
};

/// Two operations, of which the device has only the first.
Model modelWithUnknownOperation() {
  Model model = addModel({2});
  Subgraph &main = model.main;
  main.operands[3].lifetime = OperandLifeTime::TemporaryVariable;
  main.operands.push_back(tensor(OperandType::TensorFloat32, {2}, OperandLifeTime::SubgraphOutput));
  main.operations.push_back({extensionOperation(1, 0), {3}, {4}});
  main.outputIndexes = {4};
  model.extensionNameToPrefix = {{"com.example.unknown", 1}};
  return model;
}

ExecutionOptions within(Duration time) {
  ExecutionOptions options;
  options.deadline = BootClock::now() + time;
  return options;
}

/// Memory that the system does not map for writing.
SharedMemory sealedMemory(uint64_t bytes) {
  FileDescriptor file(::memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  EXPECT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  return std::make_shared<const Memory>(Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(file)), bytes}});
}

struct Situation {
  const char *name;
  VerboseTag tag;
  std::function<void(DecisionLogTest &)> happen;
  std::vector<std::string> messages;
};

class SituationTest : public DecisionLogTest, public ::testing::WithParamInterface<Situation> {};

TEST_P(SituationTest, DecisionIsLogged) {
  setVerboseTags(kAllVerboseTags);
  ::testing::internal::CaptureStderr();
  GetParam().happen(*this);
  const std::string text = ::testing::internal::GetCapturedStderr();
  for (const std::string &message : GetParam().messages)
    EXPECT_THAT(text, HasSubstr(" " + std::string(toString(GetParam().tag)) + ": " + message));
}

const Situation kSituations[] = {
    {"Compilation",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) { test.prepare(addModel({4})); },
     {"compilation for e256 in this process, level ", "turn at the compiler after ",
      "compilation not in the blob cache: the device has none", "prepared after "}},
    {"OpenShapes",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) { test.prepare(addModel({0})); },
     {"the model has no program until an execution gives shapes and values"}},
    {"Refusal",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) { (void)test.device_->getSupportedOperations(modelWithUnknownOperation()); },
     {"support: no answer is kept, the compiler decides", "support query for e256 in this process, ",
      "support: operation 1 (", "support: 1 of 2 operations"}},
    {"KeptAnswer",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) {
       for (int i = 0; i < 2; ++i)
         (void)test.device_->getSupportedOperations(addModel({2}));
     },
     {"support: the answer of an earlier query is kept", "support: 1 of 1 operations"}},
    {"BlobCache",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) {
       test.openWithBlobs();
       for (int i = 0; i < 2; ++i)
         test.prepare(addModel({2}));
     },
     {"compilation not in the blob cache: ", "compilation found in the blob cache, "}},
    {"SavedFiles",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) {
       test.prepare(test.model_, test.withCache());
       (void)test.device_->prepareModelFromCache({}, test.files_);
     },
     {"compilation saved in the client's cache files", "prepared from the client's cache files"}},
    {"UnusableFiles",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) {
       test.prepare(test.model_, test.withCache());
       test.rewrite("model", {1, 2, 3});
       (void)test.device_->prepareModelFromCache({}, test.files_);
     },
     {"not prepared from the client's cache files: GENERAL_FAILURE: "}},
    {"FailedPreparation",
     VerboseTag::Compilation,
     [](DecisionLogTest &test) { (void)test.device_->prepareModel(modelWithUnknownOperation(), {}); },
     {"not prepared: "}},
    {"Shapes",
     VerboseTag::Execution,
     [](DecisionLogTest &test) {
       DriverOptions options;
       options.maxSpecializations = 1;
       test.open(options);
       auto prepared = test.prepare(addModel({0}));
       for (uint32_t length : {2U, 2U, 3U})
         DecisionLogTest::runOpen(*prepared, length);
     },
     {"program for the shapes and values of the request: to be compiled\n",
      "program for the shapes and values of the request: kept\n",
      "program for the shapes and values of the request: to be compiled; the least recently used one is evicted\n"}},
    {"AcceptedDeadline",
     VerboseTag::Execution,
     [](DecisionLogTest &test) {
       (void)DecisionLogTest::run(*test.prepare(test.model_), within(std::chrono::hours(1)));
     },
     {"deadline in 35", "execution: NONE", "job: "}},
    {"RefusedDeadline",
     VerboseTag::Execution,
     [](DecisionLogTest &test) {
       auto prepared = test.prepare(addModel({1 << 20}));
       TestPool inputs(8 << 20), outputs(4 << 20);
       const Request request = requestOf({4 << 20, 4 << 20}, {4 << 20}, inputs, outputs);
       (void)prepared->execute(request, within(std::chrono::microseconds(100)));
     },
     {"execution: MISSED_DEADLINE_"}},
    {"RefusedRequest",
     VerboseTag::Execution,
     [](DecisionLogTest &test) { (void)test.prepare(test.model_)->execute({}, {}); },
     {"request refused: INVALID_ARGUMENT: "}},
    {"Quota",
     VerboseTag::Driver,
     [](DecisionLogTest &test) {
       ClientQuotas quotas;
       quotas.preparedModels = 1;
       auto device = test.connect(quotas);
       auto first = device->prepareModel(test.model_, {});
       EXPECT_EQ(device->prepareModel(test.model_, {}).code(), ErrorStatus::ResourceExhaustedTransient);
     },
     {"client 'test' connected",
      "refused: RESOURCE_EXHAUSTED_TRANSIENT: quota: 1 prepared models beyond the 1 in use"}},
    {"Departure",
     VerboseTag::Driver,
     [](DecisionLogTest &test) { test.connect({})->abandon(); },
     {"client 'test' has left; its work in flight is cancelled"}},
    {"MappedPool",
     VerboseTag::Memory,
     [](DecisionLogTest &test) { (void)DecisionLogTest::run(*test.prepare(test.model_)); },
     {"pool mapped: 12 bytes, read-only", "pool mapped: 12 bytes, writable"}},
    {"CopiedPool",
     VerboseTag::Memory,
     [](DecisionLogTest &test) {
       TestPool inputs(12), outputs(12);
       Request request = requestOf({12}, {12}, inputs, outputs);
       request.pools[1] = sealedMemory(12);
       (void)test.prepare(test.model_)->execute(request, {});
     },
     {"pool of 12 bytes is copied, not mapped: ", "12 bytes copied to the client's memory"}},
    {"Buffer",
     VerboseTag::Memory,
     [](DecisionLogTest &test) {
       auto prepared = test.prepare(test.model_);
       EXPECT_TRUE(test.device_->allocate({}, {{prepared, 0, 1}}, {}).isOk());
       EXPECT_FALSE(test.device_->allocate({}, {{prepared, 7, 1}}, {}).isOk());
     },
     {"12 bytes of the device for a buffer of TENSOR_FLOAT32 [3]", "buffer 1 allocated for 1 roles", "buffer 1 freed",
      "buffer refused: INVALID_ARGUMENT: "}},
    {"Model",
     VerboseTag::Model,
     [](DecisionLogTest &test) { test.prepare(addModel({4})); },
     {"model of 1 operations, 4 operands, 2 inputs, 1 outputs, 0 subgraphs, 0 pools"}},
};

INSTANTIATE_TEST_SUITE_P(Driver, SituationTest, ::testing::ValuesIn(kSituations),
                         [](const auto &info) { return std::string(info.param.name); });

/// A long job of low priority, and jobs of high priority until one of them arrives while the long job runs.
TEST_F(DecisionLogTest, PreemptionIsLoggedWithItsCycles) {
  constexpr uint64_t kBytes = 4 << 20;
  auto preparedAs = [&](const Model &model, Priority priority) {
    PrepareOptions options;
    options.priority = priority;
    return prepare(model, options);
  };
  auto low = preparedAs(addModel({1 << 20}), Priority::Low), high = preparedAs(model_, Priority::High);
  TestPool inputs(2 * kBytes), outputs(kBytes);
  const Request request = requestOf({kBytes, kBytes}, {kBytes}, inputs, outputs);
  setVerboseTags(1U << static_cast<uint32_t>(VerboseTag::Execution));
  std::string text;
  for (int i = 0; i < 100 && text.find("; preempted for ") == std::string::npos; ++i) {
    ::testing::internal::CaptureStderr();
    std::promise<void> ended;
    low->executeAsynchronously(request, {}, [&](const ExecutionOutcome &) { ended.set_value(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 10));
    (void)run(*high);
    ended.get_future().wait();
    text = ::testing::internal::GetCapturedStderr();
  }
  EXPECT_THAT(text, HasSubstr("; preempted for "));
}

/// Its cycles are longer than those of the device's clock, between start and end.
TEST_F(DecisionLogTest, SlowJobCountsAsNotPreempted) {
  PrepareOptions options;
  options.preference = ExecutionPreference::LowPower;
  auto model = prepare(model_, options);
  setVerboseTags(1U << static_cast<uint32_t>(VerboseTag::Execution));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(run(*model).isOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("; not preempted"));
}

} // namespace
} // namespace avocet::hal::testing
