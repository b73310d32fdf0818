//===- BufferTest.cpp - Buffers that the driver allocates -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "PreparedModel.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;

using PreparedRun = hal::Run; ///< tests have a Run of their own

/// output = input0 + input1, four floats each.
class Buffers : public DeviceFixture {
protected:
  static constexpr uint32_t kExtent = 4;
  static constexpr uint64_t kBytes = kExtent * sizeof(float);
  using Dimensions = std::vector<uint32_t>;

  void SetUp() override {
    DeviceFixture::SetUp();
    model_ = prepare(addModel({kExtent}));
    ASSERT_NE(model_, nullptr);
    std::ranges::fill(pool_.as<float>(), 1.f);
  }

  BufferRole role(uint32_t index) const { return {model_, index, 1}; }

  std::shared_ptr<IBuffer> allocate(const std::vector<BufferRole> &inputs, const std::vector<BufferRole> &outputs,
                                    const Dimensions &dimensions = {}) {
    Result<std::shared_ptr<IBuffer>> buffer = device_->allocate(dimensions, inputs, outputs);
    EXPECT_TRUE(buffer.isOk()) << buffer.error().message;
    return buffer ? *buffer : nullptr;
  }
  /// For both inputs and the output.
  std::shared_ptr<IBuffer> allocateState() { return allocate({role(0), role(1)}, {role(0)}); }

  static RequestArgument whole(uint32_t pool, uint64_t bytes, Dimensions dimensions = {}) {
    return {false, {pool, 0, bytes, 0}, std::move(dimensions)};
  }
  /// Pools 0, 1, 2: input 0, input 1, output. A null buffer: client's memory.
  Request requestOf(const std::shared_ptr<IBuffer> &input, const std::shared_ptr<IBuffer> &output) const {
    Request request;
    request.inputs = {whole(0, input ? 0 : kBytes), whole(1, kBytes)};
    request.outputs = {whole(2, output ? 0 : kBytes)};
    request.pools = {poolOf(input, pool_), one_.memory(), poolOf(output, result_)};
    return request;
  }
  static RequestPool poolOf(const std::shared_ptr<IBuffer> &buffer, const TestPool &pool) {
    return buffer ? RequestPool(buffer->token()) : RequestPool(pool.memory());
  }
  ErrorStatus statusOf(const Request &request) { return model_->execute(request, {}).status; }

  std::vector<float> read(IBuffer &buffer, uint32_t extent = kExtent) {
    TestPool pool(extent * sizeof(float));
    Outcome copied = buffer.copyTo(pool.memory());
    EXPECT_TRUE(copied.isOk()) << copied.error().message;
    return {pool.as<float>().begin(), pool.as<float>().end()};
  }
  bool isInitialised(IBuffer &buffer) {
    TestPool pool(kBytes);
    return buffer.copyTo(pool.memory()).isOk();
  }

  std::shared_ptr<IPreparedModel> model_;
  TestPool pool_{kBytes}, result_{kBytes};
  TestPool one_ = [] {
    TestPool pool(kBytes);
    std::ranges::fill(pool.as<float>(), 1.f);
    return pool;
  }();
};

TEST_F(Buffers, HaveTokensThatAreNeverUsedAgain) {
  std::shared_ptr<IBuffer> first = allocateState();
  BufferToken token = first->token();
  EXPECT_GT(static_cast<uint32_t>(token), 0u);
  first.reset();
  std::shared_ptr<IBuffer> second = allocateState();
  EXPECT_NE(second->token(), token);
  EXPECT_EQ(driver_->counters().buffers, 1u);
}

TEST_F(Buffers, AreForModelsOfTheirClient) {
  std::shared_ptr<IDevice> other = connect({});
  EXPECT_EQ(other->allocate({}, {role(0)}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {{nullptr, 0, 1}}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {role(2)}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {}, {role(1)}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({}, {}, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(device_->allocate({kExtent + 1}, {role(0)}, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(Buffers, CopyInAndOut) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  EXPECT_EQ(buffer->copyTo(result_.memory()).code(), ErrorStatus::GeneralFailure);
  ASSERT_TRUE(buffer->copyFrom(pool_.memory(), {}).isOk());
  EXPECT_THAT(read(*buffer), Each(1.f));
  EXPECT_TRUE(buffer->copyFrom(one_.memory(), {kExtent}).isOk());
}

TEST_F(Buffers, RefuseCopiesThatDoNotFit) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  TestPool small(kBytes - 1), large(kBytes + 1);
  EXPECT_EQ(buffer->copyFrom(small.memory(), {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(large.memory(), {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(pool_.memory(), {kExtent - 1}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(pool_.memory(), {2, 2}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(pool_.memory(), {0}).code(), ErrorStatus::None) << "0 is not known, and the buffer knows";
  EXPECT_EQ(buffer->copyTo(small.memory()).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyTo(nullptr).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(buffer->copyFrom(nullptr, {}).code(), ErrorStatus::InvalidArgument);
}

TEST_F(Buffers, TakeAllKindsOfMemory) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  SharedHandle file = std::get<Ashmem>(pool_.memory()->handle).fd;
  auto copy = [&](MemoryHandle handle) {
    auto memory = std::make_shared<Memory>(Memory{std::move(handle)});
    return buffer->copyFrom(memory, {}).isOk() && buffer->copyTo(memory).isOk();
  };
  EXPECT_TRUE(copy(MappableFile{file, 0, kBytes, PROT_READ | PROT_WRITE}));
  EXPECT_TRUE(copy(HardwareBuffer{file, true, kBytes}));
  EXPECT_FALSE(copy(HardwareBuffer{file, false, 0}));
  EXPECT_FALSE(copy(MappableFile{file, 0, kBytes, PROT_READ}));
}

TEST_F(Buffers, AFailedCopyTakesTheValueAway) {
  std::shared_ptr<IBuffer> buffer = allocateState();
  ASSERT_TRUE(buffer->copyFrom(pool_.memory(), {}).isOk());
  auto shortFile = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("short", 1)).value());
  auto memory = std::make_shared<Memory>(Memory{Ashmem{shortFile, kBytes}});
  EXPECT_EQ(buffer->copyFrom(memory, {}).code(), ErrorStatus::GeneralFailure);
  EXPECT_FALSE(isInitialised(*buffer));
}

TEST_F(Buffers, ServeAsInputsAndOutputs) {
  std::shared_ptr<IBuffer> input = allocate({role(0)}, {}), output = allocate({}, {role(0)});
  EXPECT_EQ(statusOf(requestOf(input, output)), ErrorStatus::GeneralFailure) << "the input is not initialised";
  EXPECT_FALSE(isInitialised(*output));
  ASSERT_TRUE(input->copyFrom(pool_.memory(), {}).isOk());
  ExecutionOutcome outcome = model_->execute(requestOf(input, output), {});
  ASSERT_TRUE(outcome.isOk()) << outcome.message;
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(kExtent));
  EXPECT_THAT(read(*output), Each(2.f));
}

TEST_F(Buffers, AreUsedAsTheirRolesSay) {
  std::shared_ptr<IBuffer> first = allocate({role(0)}, {}), second = allocate({role(1)}, {}), state = allocateState();
  ASSERT_TRUE(second->copyFrom(pool_.memory(), {}).isOk());
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  EXPECT_EQ(statusOf(requestOf(second, nullptr)), ErrorStatus::InvalidArgument) << "another index";
  EXPECT_EQ(statusOf(requestOf(nullptr, first)), ErrorStatus::InvalidArgument) << "another direction";
  EXPECT_EQ(statusOf(requestOf(state, state)), ErrorStatus::InvalidArgument) << "input and output";
  std::shared_ptr<IPreparedModel> other = prepare(addModel({kExtent}));
  EXPECT_EQ(other->execute(requestOf(state, nullptr), {}).status, ErrorStatus::InvalidArgument) << "another model";
  Request twice = requestOf(state, nullptr);
  twice.inputs[1] = whole(0, 0);
  EXPECT_EQ(statusOf(twice), ErrorStatus::None) << "twice as input";
  EXPECT_THAT(result_.as<float>(), Each(2.f));
  twice.inputs[1] = whole(1, 0);
  twice.pools[1] = state->token();
  EXPECT_EQ(statusOf(twice), ErrorStatus::None) << "the same token in two pools";
}

TEST_F(Buffers, TokensMeanNothingToOthers) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  Request request = requestOf(state, nullptr);
  std::shared_ptr<IDevice> stranger = connect({});
  Result<std::shared_ptr<IPreparedModel>> theirs = stranger->prepareModel(addModel({kExtent}), {});
  ASSERT_TRUE(theirs.isOk());
  EXPECT_EQ((*theirs)->execute(request, {}).status, ErrorStatus::InvalidArgument);
  state.reset();
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument) << "the buffer is gone";
}

TEST_F(Buffers, LocationsOfBuffersAreEmpty) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  Request request = requestOf(state, nullptr);
  request.inputs[0].location.length = kBytes;
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
  request = requestOf(state, nullptr);
  request.inputs[0].dimensions = {kExtent + 1};
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
  request = requestOf(nullptr, state);
  request.outputs[0].dimensions = {kExtent + 1};
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
}

TEST_F(Buffers, ARunThatDoesNotSucceedTakesTheValueOfItsOutputAway) {
  std::shared_ptr<IBuffer> output = allocate({}, {role(0)});
  Request request = requestOf(nullptr, output);
  ASSERT_EQ(statusOf(request), ErrorStatus::None);
  ASSERT_TRUE(isInitialised(*output));
  auto &model = dynamic_cast<PreparedModel &>(*model_);
  Result<RequestView> view = model.view(request);
  ASSERT_TRUE(view.isOk());
  {
    PreparedRun run(model, *view, {});
    ASSERT_TRUE(run.prepare().isOk());
    EXPECT_TRUE(isInitialised(*output)) << "not yet";
  }
  EXPECT_FALSE(isInitialised(*output));
  EXPECT_EQ(statusOf(request), ErrorStatus::None);
  EXPECT_TRUE(isInitialised(*output));
}

/// For runs that the device puts in order.
TEST_F(Buffers, AnInputMayBePendingIfTheRunAllowsIt) {
  std::shared_ptr<IBuffer> state = allocateState();
  auto &model = dynamic_cast<PreparedModel &>(*model_);
  Request writes = requestOf(nullptr, state), reads = requestOf(state, nullptr);
  Result<RequestView> writer = model.view(writes), reader = model.view(reads);
  ASSERT_TRUE(writer && reader);
  auto prepareReader = [&] {
    return PreparedRun(model, *reader, {}).prepare({.mayWait = true, .inputsMayBePending = true});
  };
  EXPECT_EQ(prepareReader().code(), ErrorStatus::GeneralFailure);
  PreparedRun producer(model, *writer, {});
  ASSERT_TRUE(producer.prepare().isOk());
  EXPECT_TRUE(prepareReader().isOk());
  EXPECT_EQ(PreparedRun(model, *reader, {}).prepare().code(), ErrorStatus::GeneralFailure);
}

/// state = state + 1, from one buffer to the other and back.
TEST_F(Buffers, AStateGoesFromRunToRunWithoutACopy) {
  std::shared_ptr<IBuffer> states[] = {allocateState(), allocateState()};
  ASSERT_TRUE(states[0]->copyFrom(pool_.memory(), {}).isOk());
  ASSERT_EQ(statusOf(requestOf(states[0], states[1])), ErrorStatus::None);
  ASSERT_EQ(statusOf(requestOf(states[1], states[0])), ErrorStatus::None);
  DriverCounters before = driver_->counters();
  for (int step = 0; step < 10; ++step)
    ASSERT_EQ(statusOf(requestOf(states[step % 2], states[1 - step % 2])), ErrorStatus::None);
  DriverCounters after = driver_->counters();
  EXPECT_EQ(after.hostBytesCopied, before.hostBytesCopied);
  EXPECT_EQ(after.poolsMapped, before.poolsMapped);
  EXPECT_THAT(read(*states[0]), Each(13.f));
}

TEST_F(Buffers, AReusableExecutionBindsThemOnce) {
  std::shared_ptr<IBuffer> input = allocate({role(0)}, {}), output = allocate({}, {role(0)});
  ASSERT_TRUE(input->copyFrom(pool_.memory(), {}).isOk());
  auto execution = model_->createReusableExecution(requestOf(input, output), {});
  ASSERT_TRUE(execution.isOk()) << execution.error().message;
  ASSERT_TRUE((*execution)->compute({}).isOk());
  DriverCounters before = driver_->counters();
  ASSERT_TRUE((*execution)->compute({}).isOk());
  DriverCounters after = driver_->counters();
  EXPECT_EQ(after.operandsBound, before.operandsBound);
  EXPECT_EQ(after.bindingsReused, before.bindingsReused + 3);
  EXPECT_EQ(after.hostBytesCopied, before.hostBytesCopied);
}

TEST_F(Buffers, OutliveTheirModel) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  model_.reset();
  EXPECT_THAT(read(*state), Each(1.f));
}

/// Copies that race for the same bytes are a client's mistake that does no harm; TSan would report it all the same.
struct CopyGuard {
#if defined(__SANITIZE_THREAD__)
  explicit CopyGuard(std::mutex &mutex) : lock(mutex) {}
  std::lock_guard<std::mutex> lock;
#else
  explicit CopyGuard(std::mutex &) {}
#endif
};

/// Nothing but numbers depends on who is faster.
TEST_F(Buffers, RacingUsersAllGetAnswers) {
  std::shared_ptr<IBuffer> state = allocateState();
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
  constexpr int kRuns = 100;
  auto repeat = [](auto &&work) {
    return std::thread([work] {
      for (int i = 0; i < kRuns; ++i)
        work();
    });
  };
  TestPool out(kBytes), target(kBytes);
  std::mutex copies;
  Request reads = requestOf(state, nullptr), writes = requestOf(nullptr, state);
  Request alsoReads = reads;
  alsoReads.pools[2] = out.memory();
  std::thread threads[] = {repeat([&] { EXPECT_TRUE(model_->execute(reads, {}).isOk()); }),
                           repeat([&] { EXPECT_TRUE(model_->execute(alsoReads, {}).isOk()); }),
                           repeat([&] { EXPECT_TRUE(model_->execute(writes, {}).isOk()); }), repeat([&] {
                             CopyGuard guard(copies);
                             EXPECT_TRUE(state->copyFrom(pool_.memory(), {}).isOk());
                           }),
                           repeat([&] {
                             CopyGuard guard(copies);
                             EXPECT_TRUE(state->copyTo(target.memory()).isOk());
                           })};
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Buffers, MakeRoomForEachOther) {
  ClientQuotas quotas;
  quotas.memoryBytes = 3 << 16;
  device_ = connect(quotas);
  model_ = prepare(addModel({kExtent}));
  std::shared_ptr<IPreparedModel> large = prepare(addModel({1 << 15}));
  TestPool kept(1 << 16);
  Request request = requestOf(nullptr, nullptr);
  request.pools[2] = kept.memory();
  ASSERT_EQ(statusOf(request), ErrorStatus::None);
  // The other model's pools are kept for its next run only.
  EXPECT_TRUE(device_->allocate({}, {{large, 0, 1}}, {}).isOk());
  EXPECT_EQ(statusOf(request), ErrorStatus::None);
}

TEST_F(Buffers, AreBoundedByTheQuota) {
  ClientQuotas quotas;
  quotas.buffers = 2;
  quotas.memoryBytes = 1 << 16;
  device_ = connect(quotas);
  model_ = prepare(addModel({kExtent}));
  auto first = allocateState(), second = allocateState();
  EXPECT_EQ(device_->allocate({}, {role(0)}, {}).code(), ErrorStatus::ResourceExhaustedTransient);
  second.reset();
  EXPECT_TRUE(device_->allocate({}, {role(0)}, {}).isOk());
  std::shared_ptr<IPreparedModel> large = prepare(addModel({1 << 15}));
  EXPECT_EQ(device_->allocate({}, {{large, 0, 1}}, {}).code(), ErrorStatus::ResourceExhaustedPersistent);
}

/// output = input0 + input1 of any extent.
class FlexibleBuffers : public Buffers {
protected:
  void SetUp() override {
    Buffers::SetUp();
    model_ = prepare(addModel({0}));
    ASSERT_NE(model_, nullptr);
  }
  Request requestFor(const std::shared_ptr<IBuffer> &input, const std::shared_ptr<IBuffer> &output, uint32_t extent) {
    Request request;
    uint64_t bytes = extent * sizeof(float);
    request.inputs = {whole(0, input ? 0 : bytes, {extent}), whole(1, bytes, {extent})};
    request.outputs = {whole(2, output ? 0 : bytes)};
    request.pools = {poolOf(input, large_), large_.memory(), poolOf(output, largeResult_)};
    return request;
  }
  TestPool large_{1 << 16}, largeResult_{1 << 16};
};

TEST_F(FlexibleBuffers, GrowWithWhatIsWritten) {
  std::ranges::fill(large_.as<float>(), 2.f);
  std::shared_ptr<IBuffer> state = allocateState();
  for (uint32_t extent : {3u, 4000u, 5u}) {
    ExecutionOutcome outcome = model_->execute(requestFor(nullptr, state, extent), {});
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(extent));
    EXPECT_THAT(read(*state, extent), Each(4.f));
    EXPECT_EQ(statusOf(requestFor(state, nullptr, extent)), ErrorStatus::None);
    EXPECT_EQ(statusOf(requestFor(state, nullptr, extent + 1)), ErrorStatus::InvalidArgument);
  }
}

TEST_F(FlexibleBuffers, LearnTheirExtentsFromCopies) {
  std::shared_ptr<IBuffer> state = allocateState();
  EXPECT_EQ(state->copyFrom(pool_.memory(), {}).code(), ErrorStatus::InvalidArgument);
  ASSERT_TRUE(state->copyFrom(pool_.memory(), {kExtent}).isOk());
  EXPECT_EQ(statusOf(requestFor(state, nullptr, kExtent)), ErrorStatus::None);
  EXPECT_EQ(state->copyFrom(large_.memory(), {kExtent}).code(), ErrorStatus::InvalidArgument);
  EXPECT_THAT(read(*state), Each(1.f)) << "a refused copy changes nothing";
}

TEST_F(FlexibleBuffers, WithAnExtentDoNotGrow) {
  std::shared_ptr<IBuffer> fixed = allocate({}, {role(0)}, {kExtent});
  EXPECT_EQ(statusOf(requestFor(nullptr, fixed, kExtent)), ErrorStatus::None);
  EXPECT_EQ(statusOf(requestFor(nullptr, fixed, kExtent + 1)), ErrorStatus::GeneralFailure);
  EXPECT_EQ(statusOf(requestFor(nullptr, fixed, kExtent - 1)), ErrorStatus::GeneralFailure);
}

TEST_F(FlexibleBuffers, GiveBackWhatTheyOutgrew) {
  std::shared_ptr<IBuffer> state = allocateState();
  auto runAll = [&] {
    for (uint32_t extent : {10u, 4000u, 100u})
      ASSERT_EQ(statusOf(requestFor(nullptr, state, extent)), ErrorStatus::None);
  };
  runAll();
  uint64_t held = driver_->counters().memoryBytes;
  runAll();
  EXPECT_EQ(driver_->counters().memoryBytes, held);
  state.reset();
  EXPECT_LE(driver_->counters().memoryBytes, held - 4000 * sizeof(float));
  EXPECT_EQ(driver_->counters().buffers, 0u);
}

} // namespace
} // namespace avocet::hal
