//===- RunTest.cpp - Runs through the C library ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <thread>
#include <vector>

namespace avocet::capi::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kInputBytes = 784, kOutputBytes = 10;

std::vector<float> floatsOf(const AvocetTensor *tensor) {
  const auto *values = static_cast<const float *>(avocetTensorData(tensor));
  const size_t count = avocetTensorBytes(tensor) / sizeof(float);
  return {values, values + count};
}

/// On the default device, which kernelApplications sets to that of the kernel driver.
class RunTest : public CapiTest {};

/// Memory at a multiple of 16 and of nothing more.
class Unaligned {
public:
  explicit Unaligned(size_t bytes)
      : memory_(static_cast<char *>(std::aligned_alloc(4096, 8192 + 4096 * (bytes / 4096)))) {}
  ~Unaligned() { std::free(memory_); } // NOLINT(cppcoreguidelines-no-malloc): as applications have it
  Unaligned(const Unaligned &) = delete;
  Unaligned &operator=(const Unaligned &) = delete;
  char *data() const { return memory_ + 16; }

private:
  char *memory_;
};

TEST_F(RunTest, TensorsAreDescribed) {
  const auto model = digits();
  EXPECT_EQ(avocetModelTensorCount(model.get(), AVOCET_INPUT), 1u);
  EXPECT_EQ(avocetModelTensorCount(model.get(), AVOCET_STATE), 0u);
  AvocetTensor *input = nullptr;
  EXPECT_DONE(avocetModelTensor(model.get(), AVOCET_INPUT, 0, &input));
  EXPECT_EQ(avocetTensorType(input), AVOCET_INT8);
  ASSERT_EQ(avocetTensorRank(input), 4u);
  EXPECT_EQ(avocetTensorShape(input)[1], 28);
  EXPECT_EQ(avocetTensorBytes(input), kInputBytes);
  ASSERT_EQ(avocetTensorScaleCount(input), 1u);
  EXPECT_GT(avocetTensorScales(input)[0], 0);
  EXPECT_EQ(avocetTensorZeroPoints(input)[0], -128);
  EXPECT_EQ(avocetTensorData(input), nullptr) << "of a model";
  AvocetTensor *byName = nullptr;
  EXPECT_DONE(avocetModelFindTensor(model.get(), AVOCET_INPUT, avocetTensorName(input), &byName));
  EXPECT_EQ(byName, input);
  EXPECT_THAT(Outcome(avocetModelFindTensor(model.get(), AVOCET_INPUT, "none", &byName)).message,
              HasSubstr(avocetTensorName(input)));
  EXPECT_EQ(Outcome(avocetModelTensor(model.get(), 7, 0, &byName)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetModelTensor(model.get(), AVOCET_OUTPUT, 1, &byName)).code, AVOCET_INVALID_ARGUMENT);
}

TEST_F(RunTest, CallersMemoryIsUsedWithoutCopies) {
  const auto model = digits();
  const auto own = runOf(model.get()), bound = runOf(model.get());
  const Unaligned input(kInputBytes), output(kOutputBytes);
  EXPECT_DONE(avocetTensorBind(tensor(bound.get(), AVOCET_INPUT), input.data(), kInputBytes));
  EXPECT_DONE(avocetTensorBind(tensor(bound.get(), AVOCET_OUTPUT), output.data(), kOutputBytes));
  for (int value : {3, 90}) {
    std::memset(input.data(), value, kInputBytes);
    std::memset(avocetTensorData(tensor(own.get(), AVOCET_INPUT)), value, kInputBytes);
    EXPECT_DONE(avocetRunExecute(own.get()));
    EXPECT_DONE(avocetRunExecute(bound.get()));
    EXPECT_EQ(std::string(output.data(), kOutputBytes), bytesOf(tensor(own.get(), AVOCET_OUTPUT)));
  }
  EXPECT_EQ(avocetRunCopiedBytes(bound.get()), 0u);
  EXPECT_EQ(avocetRunCycles(bound.get()), avocetRunCycles(own.get())) << "the place of memory changes no cycles";
  EXPECT_DONE(avocetTensorBind(tensor(bound.get(), AVOCET_INPUT), nullptr, 0));
  EXPECT_NE(avocetTensorData(tensor(bound.get(), AVOCET_INPUT)), input.data());
}

TEST_F(RunTest, MemoryAtOddAddressIsCopiedAndCounted) {
  const auto run = runOf(digits().get());
  std::vector<char> memory(kInputBytes + 64);
  char *odd = memory.data() + 1;
  EXPECT_DONE(avocetTensorBind(tensor(run.get(), AVOCET_INPUT), odd, kInputBytes));
  EXPECT_EQ(avocetTensorData(tensor(run.get(), AVOCET_INPUT)), odd);
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_EQ(avocetRunCopiedBytes(run.get()), kInputBytes);
}

TEST_F(RunTest, MemoryOfAnotherSizeIsRefused) {
  const auto run = runOf(digits().get());
  char memory[4] = {};
  EXPECT_THAT(Outcome(avocetTensorBind(tensor(run.get(), AVOCET_INPUT), memory, 4)).message,
              HasSubstr("784 bytes, 4 were given"));
}

TEST_F(RunTest, StatesAdvanceAndAreReset) {
  const auto run = runOf(compile(inMemory(kTotal).get()).get());
  const AvocetTensor *x = tensor(run.get(), AVOCET_INPUT), *y = tensor(run.get(), AVOCET_OUTPUT),
                     *total = tensor(run.get(), AVOCET_STATE);
  EXPECT_STREQ(avocetTensorName(total), "total");
  static_cast<float *>(avocetTensorData(x))[0] = 10;
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_THAT(floatsOf(y), ElementsAre(22, 4, 6, 8));
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_THAT(floatsOf(total), ElementsAre(21, 2, 3, 4));
  EXPECT_DONE(avocetRunReset(run.get()));
  EXPECT_THAT(floatsOf(total), ElementsAre(1, 2, 3, 4));
  static_cast<float *>(avocetTensorData(total))[3] = 40;
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_THAT(floatsOf(y), ElementsAre(22, 4, 6, 80));
  float memory[4] = {};
  EXPECT_EQ(Outcome(avocetTensorBind(tensor(run.get(), AVOCET_STATE), memory, sizeof(memory))).code,
            AVOCET_UNSUPPORTED);
}

TEST_F(RunTest, StartedRunCallsBackAndSignals) {
  const auto run = runOf(digits().get());
  EXPECT_EQ(Outcome(avocetRunWait(run.get(), -1)).code, AVOCET_FAILED_PRECONDITION) << "nothing was started";
  int descriptor = -1;
  EXPECT_DONE(avocetRunDescriptor(run.get(), &descriptor));
  std::atomic<int> calls = 0;
  const auto count = [](void *user, AvocetCode code) { *static_cast<std::atomic<int> *>(user) += code == AVOCET_OK; };
  for (int i = 0; i < 3; ++i) {
    EXPECT_DONE(avocetRunStart(run.get(), count, &calls));
    pollfd entry{descriptor, POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, -1), 1);
    EXPECT_DONE(avocetRunWait(run.get(), -1));
    EXPECT_DONE(avocetRunWait(run.get(), 0));
  }
  EXPECT_GT(avocetRunCycles(run.get()), 0u);
  avocetRunDestroy(run.get()); // waits for the last call-back
  EXPECT_EQ(calls, 3);
}

TEST_F(RunTest, CancelledRunEndsAndExecutesAgain) {
  const auto run = runOf(digits().get());
  EXPECT_DONE(avocetRunCancel(run.get()));
  EXPECT_DONE(avocetRunExecute(run.get()));
  const std::string expected = bytesOf(tensor(run.get(), AVOCET_OUTPUT));
  for (int i = 0; i < 20; ++i) {
    EXPECT_DONE(avocetRunStart(run.get(), nullptr, nullptr));
    EXPECT_DONE(avocetRunCancel(run.get()));
    const Outcome outcome(avocetRunWait(run.get(), -1));
    EXPECT_TRUE(outcome.code == AVOCET_OK || outcome.code == AVOCET_ABORTED) << outcome.message;
  }
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_EQ(bytesOf(tensor(run.get(), AVOCET_OUTPUT)), expected);
}

TEST_F(RunTest, BusyRunRefusesASecondExecution) {
  std::atomic<bool> leave = false; // lives longer than the run, whose end waits for its call-backs
  const auto run = runOf(digits().get());
  const auto busy = [](void *user, AvocetCode) {
    while (!*static_cast<std::atomic<bool> *>(user))
      std::this_thread::yield();
  };
  EXPECT_DONE(avocetRunStart(run.get(), busy, &leave));
  for (int i = 0; i < 100; ++i) {
    const Outcome outcome(avocetRunStart(run.get(), nullptr, nullptr));
    if (outcome.code != AVOCET_OK)
      EXPECT_EQ(outcome.code, AVOCET_FAILED_PRECONDITION);
  }
  leave = true;
  EXPECT_DONE(avocetRunWait(run.get(), -1));
}

TEST_F(RunTest, RunMayBeDestroyedByItsCallBack) {
  AvocetRun *run = nullptr;
  EXPECT_DONE(avocetRunCreate(digits().get(), nullptr, options_, &run));
  std::atomic<bool> done = false;
  struct Both {
    AvocetRun *run;
    std::atomic<bool> *done;
  } both{run, &done};
  const auto end = [](void *user, AvocetCode) {
    const Both given = *static_cast<Both *>(user);
    avocetRunDestroy(given.run);
    *given.done = true;
  };
  EXPECT_DONE(avocetRunStart(run, end, &both));
  while (!done)
    std::this_thread::yield();
  EXPECT_EQ(Outcome(avocetRunExecute(run)).code, AVOCET_INVALID_ARGUMENT);
}

TEST_F(RunTest, SeveralRunsOfOneModelExecuteTogether) {
  const auto model = digits();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      const auto run = runOf(model.get());
      std::memset(avocetTensorData(tensor(run.get(), AVOCET_INPUT)), i, kInputBytes);
      for (int round = 0; round < 5; ++round)
        EXPECT_DONE(avocetRunExecute(run.get()));
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CapiTest, ReportAndTraceFollowARun) {
  set("profile", "true");
  const auto run = runOf(digits().get());
  AvocetReport *report = nullptr;
  EXPECT_EQ(Outcome(avocetRunReport(run.get(), &report)).code, AVOCET_FAILED_PRECONDITION);
  EXPECT_EQ(Outcome(avocetRunTrace(run.get(), &report)).code, AVOCET_FAILED_PRECONDITION);
  EXPECT_DONE(avocetRunExecute(run.get()));
  EXPECT_DONE(avocetRunReport(run.get(), &report));
  EXPECT_THAT(textOf(report), HasSubstr("\"cycles\": " + std::to_string(avocetRunCycles(run.get()))));
  EXPECT_DONE(avocetRunTrace(run.get(), &report));
  EXPECT_THAT(textOf(report), HasSubstr("\"traceEvents\""));
}

TEST_F(RunTest, CpuComputesAsTheSimulator) {
  const auto model = digits();
  const auto cpu = device("cpu");
  const auto here = runOf(model.get()), there = runOf(model.get(), cpu.get());
  std::vector<char> input(kInputBytes, 20);
  EXPECT_DONE(avocetTensorBind(tensor(there.get(), AVOCET_INPUT), input.data(), kInputBytes));
  std::memset(avocetTensorData(tensor(here.get(), AVOCET_INPUT)), 20, kInputBytes);
  EXPECT_DONE(avocetRunExecute(here.get()));
  EXPECT_DONE(avocetRunExecute(there.get()));
  EXPECT_EQ(bytesOf(tensor(there.get(), AVOCET_OUTPUT)), bytesOf(tensor(here.get(), AVOCET_OUTPUT)));
  EXPECT_EQ(avocetRunCopiedBytes(there.get()), kInputBytes) << "the CPU has memory of its own";
  EXPECT_EQ(Outcome(avocetRunCancel(there.get())).code, AVOCET_UNSUPPORTED);
}

TEST_F(RunTest, CpuRunsOnnxNetworks) {
  const std::string file = AVOCET_SOURCE_DIR "/tests/fuzz/onnx/corpus/conv";
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  ASSERT_FALSE(bytes.empty()) << file;
  const auto model = compile(inMemory(bytes, "conv.onnx").get());
  const auto cpu = device("cpu");
  const auto here = runOf(model.get()), there = runOf(model.get(), cpu.get());
  for (AvocetRun *run : {here.get(), there.get()}) {
    std::memset(avocetTensorData(tensor(run, AVOCET_INPUT)), 0x3f, avocetTensorBytes(tensor(run, AVOCET_INPUT)));
    EXPECT_DONE(avocetRunExecute(run));
  }
  const std::string result = bytesOf(tensor(there.get(), AVOCET_OUTPUT));
  EXPECT_EQ(result, bytesOf(tensor(here.get(), AVOCET_OUTPUT)));
  EXPECT_NE(result, std::string(result.size(), '\0'));
}

TEST_F(RunTest, CpuRefusesOtherNetworks) {
  const auto model = compile(inMemory(kTotal).get());
  AvocetRun *run = nullptr;
  EXPECT_THAT(Outcome(avocetRunCreate(model.get(), device("cpu").get(), options_, &run)).message,
              HasSubstr("only networks of .tflite and .onnx files"));
}

TEST_F(RunTest, UnknownDeviceIsNotFound) {
  AvocetDevice *device = nullptr;
  EXPECT_THAT(Outcome(avocetDeviceOpen("gpu", nullptr, &device)).message, HasSubstr("must be cpu, service:NAME, "));
  set("socket", "/nonexistent/socket");
  EXPECT_EQ(Outcome(avocetDeviceOpen("service:avocet-e256", options_, &device)).code, AVOCET_NOT_FOUND);
}

} // namespace
} // namespace avocet::capi::test
