//===- RequestTest.cpp - Requests that break rules --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include <functional>
#include <gmock/gmock.h>
#include <sys/mman.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// output = input0 + input1, two floats each; the output's extent is unknown before the execution.
class RequestRulesTest : public DeviceFixture {
protected:
  void SetUp() override {
    DeviceFixture::SetUp();
    Model model = addModel({2});
    model.main.operands[3].dimensions = {0};
    prepared_ = prepare(model);
    ASSERT_NE(prepared_, nullptr);
  }

  ExecutionOutcome runWith(const std::function<void(Request &)> &change, const ExecutionOptions &options = {}) {
    Request request = requestOf({8, 8}, {8}, inputs_, outputs_);
    change(request);
    return prepared_->execute(request, options);
  }
  ErrorStatus statusWith(const std::function<void(Request &)> &change) { return runWith(change).status; }

  static SharedHandle closedHandle() { return std::make_shared<const FileDescriptor>(); }
  static RequestPool pool(MemoryHandle handle) { return std::make_shared<Memory>(Memory{std::move(handle)}); }

  TestPool inputs_{64}, outputs_{64};
  std::shared_ptr<IPreparedModel> prepared_;
};

TEST_F(RequestRulesTest, TooSmallOutputReportsItsShape) {
  ExecutionOutcome outcome = runWith([](Request &request) { request.outputs[0].location.length = 7; });
  EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize);
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_FALSE(outcome.outputShapes[0].isSufficient);
  EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(2));
  EXPECT_FALSE(outcome.timing.timeOnDevice);
}

TEST_F(RequestRulesTest, OtherErrorsHaveNeitherShapesNorTimes) {
  ExecutionOptions measured, late;
  measured.measure = late.measure = MeasureTiming::Yes;
  late.deadline = BootClock::now() - std::chrono::seconds(1);
  auto hasTimes = [](const ExecutionOutcome &outcome) {
    return outcome.timing.timeOnDevice.has_value() || outcome.timing.timeInDriver.has_value();
  };
  const ExecutionOutcome outcomes[] = {
      runWith([](Request &request) { request.inputs.pop_back(); }, measured),
      runWith([](Request &request) { request.pools[0] = pool(Ashmem{closedHandle(), 64}); }, measured),
      runWith([](Request &) {}, late),
  };
  const ErrorStatus expected[] = {ErrorStatus::InvalidArgument, ErrorStatus::GeneralFailure,
                                  ErrorStatus::MissedDeadlinePersistent};
  for (size_t i = 0; i < std::size(outcomes); ++i) {
    EXPECT_EQ(outcomes[i].status, expected[i]) << outcomes[i].message;
    EXPECT_TRUE(outcomes[i].outputShapes.empty()) << i;
    EXPECT_FALSE(hasTimes(outcomes[i])) << i;
  }
  const ExecutionOutcome small = runWith([](Request &r) { r.outputs[0].location.length = 7; }, measured);
  EXPECT_EQ(small.status, ErrorStatus::OutputInsufficientSize);
  EXPECT_FALSE(hasTimes(small));
  EXPECT_TRUE(hasTimes(runWith([](Request &) {}, measured))) << "a success has them";
}

TEST_F(RequestRulesTest, AcceptsLongerOutput) {
  ExecutionOutcome outcome = runWith([](Request &request) { request.outputs[0].location.length = 33; });
  EXPECT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(2));
}

TEST_F(RequestRulesTest, AcceptsOmittedOutput) {
  ExecutionOutcome outcome = runWith([](Request &request) { request.outputs[0] = {true, {}, {}}; });
  EXPECT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_EQ(outcome.outputShapes.size(), 1u);
}

TEST_F(RequestRulesTest, RefusesArgumentsOutOfRange) {
  constexpr uint64_t kHuge = ~uint64_t{0};
  EXPECT_EQ(statusWith([](Request &r) { r.inputs.pop_back(); }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.outputs.clear(); }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0].location.poolIndex = 2; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0].location.offset = 60; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0].location.offset = kHuge - 3; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.outputs[0].location.length = kHuge; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.outputs[0].location.padding = kHuge; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0].dimensions = {3}; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0].dimensions = {2, 1}; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0].hasNoValue = true; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.inputs[0] = {true, {}, {}}; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.outputs[0].dimensions = {3}; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Request &r) { r.pools[0] = BufferToken{7}; }), ErrorStatus::InvalidArgument);
}

TEST_F(RequestRulesTest, RefusesUnreadableMemory) {
  auto useAsInput = [&](MemoryHandle handle) {
    return statusWith([&](Request &request) { request.pools[0] = pool(std::move(handle)); });
  };
  EXPECT_EQ(useAsInput(Ashmem{closedHandle(), 64}), ErrorStatus::GeneralFailure);
  EXPECT_EQ(useAsInput(MappableFile{closedHandle(), 0, 64, PROT_READ}), ErrorStatus::GeneralFailure);
  EXPECT_EQ(useAsInput(UnknownHandle{"strange", {}, {}, 64}), ErrorStatus::GeneralFailure);
}

TEST_F(RequestRulesTest, RefusesFileShorterThanClaimed) {
  auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("short", 4)).value());
  EXPECT_EQ(statusWith([&](Request &request) { request.pools[0] = pool(Ashmem{file, 64}); }),
            ErrorStatus::GeneralFailure);
}

TEST_F(RequestRulesTest, RefusesReadOnlyFileAsOutput) {
  auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("file", 64)).value());
  auto asOutput = [&](int32_t protection) {
    return statusWith([&](Request &request) { request.pools[1] = pool(MappableFile{file, 0, 64, protection}); });
  };
  EXPECT_EQ(asOutput(PROT_READ | PROT_WRITE), ErrorStatus::None);
  EXPECT_EQ(asOutput(PROT_READ), ErrorStatus::InvalidArgument);
}

TEST_F(RequestRulesTest, ReadsMappedFileFromItsOffset) {
  auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("file", 64)).value());
  Mapping mapping = std::move(Mapping::map(file->get(), 64, Mapping::Access::ReadWrite)).value();
  auto *floats = reinterpret_cast<float *>(mapping.bytes().data());
  for (int i = 0; i < 16; ++i)
    floats[i] = static_cast<float>(i);
  ExecutionOutcome outcome =
      runWith([&](Request &request) { request.pools[0] = pool(MappableFile{file, 12, 32, PROT_READ}); });
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  EXPECT_THAT(outputs_.as<float>().first(2), ElementsAre(3 + 5, 4 + 6));
}

} // namespace
} // namespace avocet::hal
