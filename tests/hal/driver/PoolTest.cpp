//===- PoolTest.cpp - Clients' memory mapped by the device ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "FakeClock.h"
#include "memory/ModelMemory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::Each;

/// output = input0 + input1, of kExtent floats.
class DriverPoolTest : public DeviceFixture {
protected:
  static constexpr uint32_t kExtent = 64;
  static constexpr uint64_t kBytes = kExtent * sizeof(float);

  void SetUp() override {
    DeviceFixture::SetUp();
    prepareAgain();
    std::ranges::fill(inputs_.as<float>(), 1.f);
  }
  void prepareAgain() {
    model_ = prepare(addModel({kExtent}));
    ASSERT_NE(model_, nullptr);
  }

  Request request() const { return requestOf({kBytes, kBytes}, {kBytes}, inputs_, outputs_); }
  ExecutionOutcome run(const Request &request) { return model_->execute(request, {}); }
  ErrorStatus statusOf(const Request &request) { return run(request).status; }
  static RequestPool pool(MemoryHandle handle) { return std::make_shared<Memory>(Memory{std::move(handle)}); }
  static SharedHandle fileOf(const TestPool &pool) { return std::get<Ashmem>(pool.memory()->handle).fd; }
  static SharedHandle handleOf(int fd) { return std::make_shared<const FileDescriptor>(fd); }
  static size_t numDescriptors() {
    std::filesystem::directory_iterator entries("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }

  TestPool inputs_{2 * kBytes}, outputs_{kBytes};
  std::shared_ptr<IPreparedModel> model_;
};

TEST_F(DriverPoolTest, PoolsAreNotCopied) {
  ASSERT_EQ(statusOf(request()), ErrorStatus::None);
  DriverCounters first = driver_->counters();
  EXPECT_EQ(first.hostBytesCopied, 0u);
  EXPECT_EQ(first.poolsMapped, 2u);
  EXPECT_EQ(first.operandsBound, 3u);
  ASSERT_EQ(statusOf(request()), ErrorStatus::None);
  DriverCounters second = driver_->counters();
  EXPECT_EQ(second.hostBytesCopied, 0u);
  EXPECT_EQ(second.poolsMapped, 2u);
  EXPECT_EQ(second.operandsBound + second.bindingsReused, 6u);
  EXPECT_THAT(outputs_.as<float>(), Each(2.f));
}

TEST_F(DriverPoolTest, DeviceReadsNewContentsWithoutRebinding) {
  auto execution = model_->createReusableExecution(request(), {});
  ASSERT_TRUE(execution.isOk());
  for (float value : {1.f, 5.f, -2.f}) {
    std::ranges::fill(inputs_.as<float>(), value);
    ASSERT_TRUE((*execution)->compute({}).isOk());
    EXPECT_THAT(outputs_.as<float>(), Each(2 * value));
  }
  EXPECT_EQ(driver_->counters().operandsBound, 3u);
  EXPECT_EQ(driver_->counters().bindingsReused, 6u);
}

TEST_F(DriverPoolTest, AcceptsUnalignedOffsets) {
  TestPool large(4 << 12);
  for (uint64_t offset : {uint64_t{1}, uint64_t{4093}, uint64_t{4096}, uint64_t{5001}}) {
    std::ranges::fill(large.bytes(), 0);
    std::ranges::copy(inputs_.bytes(), large.bytes().begin() + static_cast<ptrdiff_t>(offset) + 3);
    uint64_t result = 3 * 4096 + offset % 7;
    Request moved = request();
    moved.inputs[0].location.offset = 3;
    moved.inputs[1].location.offset = 3 + kBytes;
    moved.outputs[0].location.offset = result - offset;
    moved.outputs[0].location.poolIndex = 0;
    moved.pools = {pool(MappableFile{fileOf(large), offset, large.bytes().size() - offset, PROT_READ | PROT_WRITE})};
    ExecutionOutcome outcome = run(moved);
    ASSERT_TRUE(outcome.isOk()) << outcome.message;
    std::vector<float> read(kExtent);
    std::memcpy(read.data(), large.bytes().data() + result, kBytes);
    EXPECT_THAT(read, Each(2.f)) << offset;
    EXPECT_EQ(large.bytes()[result - 1], 0);
    EXPECT_EQ(large.bytes()[result + kBytes], 0);
  }
  EXPECT_EQ(driver_->counters().hostBytesCopied, 0u);
}

TEST_F(DriverPoolTest, AcceptsOffsetsAboveFourGigabytes) {
  constexpr uint64_t kFar = uint64_t{5} << 30;
  auto file = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("large", kFar + kBytes)).value());
  Request far = request();
  far.pools[1] = pool(MappableFile{file, kFar, kBytes, PROT_WRITE});
  ASSERT_EQ(statusOf(far), ErrorStatus::None);
  std::vector<float> read(kExtent);
  ASSERT_EQ(::pread(file->get(), read.data(), kBytes, kFar), static_cast<ssize_t>(kBytes));
  EXPECT_THAT(read, Each(2.f));
}

TEST_F(DriverPoolTest, RefusesOffsetsThatOverflow) {
  for (uint64_t offset : {~uint64_t{0}, ~uint64_t{0} - kBytes + 1, uint64_t{1} << 63, (uint64_t{1} << 63) - kBytes}) {
    Request bad = request();
    bad.pools[1] = pool(MappableFile{fileOf(outputs_), offset, kBytes, PROT_WRITE});
    ErrorStatus status = statusOf(bad);
    EXPECT_TRUE(status == ErrorStatus::InvalidArgument || status == ErrorStatus::GeneralFailure) << offset;
  }
  Request claims = request();
  claims.pools[0] = pool(Ashmem{fileOf(inputs_), uint64_t{1} << 62});
  EXPECT_EQ(statusOf(claims), ErrorStatus::None) << "a claim alone does no harm";
}

TEST_F(DriverPoolTest, RefusesUseAgainstProtection) {
  Request guarded = request();
  guarded.pools[0] = pool(MappableFile{fileOf(inputs_), 0, 2 * kBytes, PROT_WRITE});
  EXPECT_EQ(statusOf(guarded), ErrorStatus::InvalidArgument);
  guarded = request();
  guarded.pools[1] = pool(MappableFile{fileOf(outputs_), 0, kBytes, PROT_READ});
  EXPECT_EQ(statusOf(guarded), ErrorStatus::InvalidArgument);
}

/// A read-only descriptor serves inputs, but not outputs.
TEST_F(DriverPoolTest, ReadOnlyDescriptorServesInputsOnly) {
  std::string path = "/proc/self/fd/" + std::to_string(fileOf(inputs_)->get());
  SharedHandle readable = handleOf(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(readable->isValid());
  Request reading = request();
  reading.pools[0] = pool(Ashmem{readable, 2 * kBytes});
  EXPECT_EQ(statusOf(reading), ErrorStatus::None);
  EXPECT_EQ(driver_->counters().hostBytesCopied, 0u);
  TestPool fresh(kBytes); // one that no run has mapped for writing
  path = "/proc/self/fd/" + std::to_string(fileOf(fresh)->get());
  Request writing = request();
  writing.pools[1] = pool(Ashmem{handleOf(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), kBytes});
  EXPECT_EQ(statusOf(writing), ErrorStatus::GeneralFailure);
}

TEST_F(DriverPoolTest, SealedMemoryServesInputsOnly) {
  int fd = ::memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  SharedHandle sealed = handleOf(fd);
  ASSERT_EQ(::pwrite(fd, inputs_.bytes().data(), 2 * kBytes, 0), static_cast<ssize_t>(2 * kBytes));
  ASSERT_EQ(::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL), 0);
  Request reading = request();
  reading.pools[0] = pool(Ashmem{sealed, 2 * kBytes});
  ASSERT_EQ(statusOf(reading), ErrorStatus::None);
  EXPECT_THAT(outputs_.as<float>(), Each(2.f));
  Request writing = request();
  writing.pools[1] = pool(Ashmem{sealed, 2 * kBytes});
  EXPECT_EQ(statusOf(writing), ErrorStatus::GeneralFailure);
}

/// As in the service, each message brings a new descriptor of the same file.
TEST_F(DriverPoolTest, RefusesOverlapOfDescriptorsOfOneFile) {
  auto again = [&] { return std::make_shared<const FileDescriptor>(std::move(fileOf(inputs_)->duplicate()).value()); };
  Request overlapping = request();
  overlapping.pools = {pool(Ashmem{again(), 2 * kBytes}), pool(Ashmem{again(), 2 * kBytes})};
  EXPECT_EQ(statusOf(overlapping), ErrorStatus::InvalidArgument);
  EXPECT_EQ(model_->createReusableExecution(overlapping, {}).code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ((*model_->configureBurst())->execute(overlapping, {0, 1}, {}).status, ErrorStatus::InvalidArgument);
  EXPECT_THAT(inputs_.as<float>(), Each(1.f)) << "nothing was written";
}

/// Preparation copies constants, so their pool may be overwritten.
TEST_F(DriverPoolTest, ConstantPoolMayReceiveOutputs) {
  const Model model = addConstantModel(std::vector<float>(kExtent, 3));
  model_ = prepare(model);
  Request over = requestOf({kBytes}, {kBytes}, inputs_, outputs_);
  over.pools[1] = model.pools[0];
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(statusOf(over), ErrorStatus::None);
    ASSERT_EQ(statusOf(requestOf({kBytes}, {kBytes}, inputs_, outputs_)), ErrorStatus::None);
    EXPECT_THAT(outputs_.as<float>(), Each(4.f)) << "its constants are still 3";
  }
}

TEST_F(DriverPoolTest, DriverAddsNoSeals) {
  int fd = ::memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  SharedHandle file = handleOf(fd);
  ASSERT_EQ(::ftruncate(fd, kBytes), 0);
  Request writing = request();
  writing.pools[1] = pool(Ashmem{file, kBytes});
  ASSERT_EQ(statusOf(writing), ErrorStatus::None);
  EXPECT_EQ(::fcntl(fd, F_GET_SEALS), 0);
}

TEST_F(DriverPoolTest, RefusesPipesAndDirectories) {
  int pipes[2];
  ASSERT_EQ(::pipe2(pipes, O_CLOEXEC), 0);
  SharedHandle reading = handleOf(pipes[0]), writing = handleOf(pipes[1]);
  SharedHandle directory = handleOf(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const SharedHandle &handle : {reading, writing, directory}) {
    Request bad = request();
    bad.pools[0] = pool(Ashmem{handle, 2 * kBytes});
    EXPECT_NE(statusOf(bad), ErrorStatus::None);
    bad = request();
    bad.pools[1] = pool(Ashmem{handle, kBytes});
    EXPECT_NE(statusOf(bad), ErrorStatus::None);
  }
  EXPECT_EQ(statusOf(request()), ErrorStatus::None);
}

TEST_F(DriverPoolTest, AcceptsOnlyBlobsOfHardwareBuffers) {
  Request blob = request();
  blob.pools[0] = pool(HardwareBuffer{fileOf(inputs_), true, 2 * kBytes});
  EXPECT_EQ(statusOf(blob), ErrorStatus::None);
  blob.pools[0] = pool(HardwareBuffer{fileOf(inputs_), false, 0});
  EXPECT_EQ(statusOf(blob), ErrorStatus::GeneralFailure);
}

/// Padding lies inside the pool, and the driver does not write to it.
TEST_F(DriverPoolTest, PaddingIsNotWritten) {
  TestPool padded(kBytes + 32);
  std::ranges::fill(padded.bytes(), 0xAB);
  Request request = this->request();
  request.outputs[0].location.padding = 32;
  request.pools[1] = padded.memory();
  ASSERT_EQ(statusOf(request), ErrorStatus::None);
  EXPECT_THAT(padded.bytes().subspan(kBytes), Each(0xAB));
  request.outputs[0].location.padding = 33;
  EXPECT_EQ(statusOf(request), ErrorStatus::InvalidArgument);
}

TEST_F(DriverPoolTest, TruncatedPoolFailsUntilRestored) {
  ASSERT_EQ(statusOf(request()), ErrorStatus::None);
  ASSERT_EQ(::ftruncate(fileOf(inputs_)->get(), kBytes), 0);
  EXPECT_EQ(statusOf(request()), ErrorStatus::GeneralFailure);
  ASSERT_EQ(::ftruncate(fileOf(inputs_)->get(), 2 * kBytes), 0);
  EXPECT_EQ(statusOf(request()), ErrorStatus::None);
}

TEST_F(DriverPoolTest, OnlySealedFilesNeverShrink) {
  const std::shared_ptr<const FileDescriptor> file = fileOf(inputs_);
  const auto mayShrink = [&] { return PoolFile::open(inputs_.memory())->mayShrink(); };
  EXPECT_TRUE(mayShrink());
  ASSERT_EQ(::fcntl(file->get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_FALSE(mayShrink());
  EXPECT_EQ(statusOf(request()), ErrorStatus::None);
  ASSERT_EQ(::ftruncate(file->get(), 4 * kBytes), 0);
  EXPECT_EQ(statusOf(request()), ErrorStatus::None);
}

/// Large enough to be truncated while the device works on it. The process does not crash; the model stays usable.
TEST_F(DriverPoolTest, TruncationDuringExecutionDoesNotCrash) {
  constexpr uint32_t kLarge = 1 << 16;
  constexpr uint64_t kLargeBytes = kLarge * sizeof(float);
  std::shared_ptr<IPreparedModel> model = prepare(addModel({kLarge}));
  TestPool inputs(2 * kLargeBytes), outputs(kLargeBytes);
  Request request = requestOf({kLargeBytes, kLargeBytes}, {kLargeBytes}, inputs, outputs);
  std::atomic<bool> isDone = false;
  std::thread saboteur([&] {
    for (bool isInput = false; !isDone; isInput = !isInput) {
      const TestPool &pool = isInput ? inputs : outputs;
      EXPECT_EQ(::ftruncate(fileOf(pool)->get(), isInput ? 5000 : 0), 0);
      EXPECT_EQ(::ftruncate(fileOf(pool)->get(), isInput ? 2 * kLargeBytes : kLargeBytes), 0);
    }
  });
  for (int i = 0; i < 20; ++i) {
    ErrorStatus status = model->execute(request, {}).status;
    EXPECT_TRUE(status == ErrorStatus::None || status == ErrorStatus::GeneralFailure) << toString(status);
  }
  isDone = true;
  saboteur.join();
  TestPool otherInputs(2 * kLargeBytes), otherOutputs(kLargeBytes);
  std::ranges::fill(otherInputs.as<float>(), 1.f);
  ASSERT_TRUE(
      model->execute(requestOf({kLargeBytes, kLargeBytes}, {kLargeBytes}, otherInputs, otherOutputs), {}).isOk());
  EXPECT_THAT(otherOutputs.as<float>(), Each(2.f));
}

TEST_F(DriverPoolTest, KeepsBoundedNumberOfPools) {
  auto runWith = [&](float value) {
    TestPool input(2 * kBytes);
    std::ranges::fill(input.as<float>(), value);
    Request other = requestOf({kBytes, kBytes}, {kBytes}, input, outputs_);
    ASSERT_EQ(statusOf(other), ErrorStatus::None);
    ASSERT_EQ(outputs_.as<float>()[kExtent - 1], 2 * value);
  };
  for (size_t i = 0; i < 2 * ModelMemory::kMaxPools; ++i)
    runWith(static_cast<float>(i));
  size_t descriptors = numDescriptors();
  uint64_t bytes = driver_->counters().memoryBytes;
  for (int i = 0; i < 1000; ++i)
    runWith(static_cast<float>(i));
  EXPECT_EQ(driver_->counters().memoryBytes, bytes);
  EXPECT_LE(numDescriptors(), descriptors);
}

TEST_F(DriverPoolTest, IdlePoolsAreReleased) {
  FakeClock clock;
  DriverOptions options;
  options.clock = clock.function();
  options.idleTimeout = std::chrono::milliseconds(1);
  open(options);
  prepareAgain();
  uint64_t idle = driver_->counters().memoryBytes;
  ASSERT_EQ(statusOf(request()), ErrorStatus::None);
  EXPECT_GT(driver_->counters().poolsMapped, 0u);
  for (int i = 0; i < 10000 && driver_->counters().memoryBytes != idle; ++i) {
    clock.advance(std::chrono::seconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(driver_->counters().memoryBytes, idle);
  EXPECT_EQ(statusOf(request()), ErrorStatus::None);
}

} // namespace
} // namespace avocet::hal
