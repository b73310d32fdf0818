//===- EventTest.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace avocet::nnapi::testing {
namespace {

/// A fence that the test signals by closing its other end, or by writing to it.
struct PipeFence {
  PipeFence() { NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? kOk : kFailed); }
  ~PipeFence() {
    for (int end : ends)
      close(end);
  }
  void signal() { NEED(write(ends[1], "x", 1) == 1 ? kOk : kFailed); }
  int ends[2];
};

Event eventOf(int descriptor) {
  ANeuralNetworksEvent *made = nullptr;
  NEED(ANeuralNetworksEvent_createFromSyncFenceFd(descriptor, &made));
  return Event(made);
}

Event startAfter(const Addition &addition, std::vector<const ANeuralNetworksEvent *> dependencies,
                 uint64_t duration = 0) {
  ANeuralNetworksEvent *made = nullptr;
  NEED(ANeuralNetworksExecution_startComputeWithDependencies(
      addition.get(), dependencies.data(), static_cast<uint32_t>(dependencies.size()), duration, &made));
  return Event(made);
}

bool isReadable(int descriptor, int milliseconds) {
  pollfd poller{descriptor, POLLIN, 0};
  return poll(&poller, 1, milliseconds) == 1 && (poller.revents & POLLIN) != 0;
}

class EventTest : public ::testing::Test {
protected:
  const Compilation compilation_ = compile(addModel());
};

TEST_F(EventTest, NullIsRefused) {
  int descriptor = 7;
  ANeuralNetworksEvent *event = nullptr;
  const Addition addition(compilation_);
  EXPECT_EQ(kNull, ANeuralNetworksEvent_wait(nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksEvent_createFromSyncFenceFd(1, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksEvent_getSyncFenceFd(nullptr, &descriptor));
  EXPECT_EQ(-1, descriptor);
  EXPECT_EQ(kNull, ANeuralNetworksExecution_startCompute(addition.get(), nullptr));
  auto start = [&](const ANeuralNetworksEvent *const *list, uint32_t count, ANeuralNetworksEvent **result) {
    return ANeuralNetworksExecution_startComputeWithDependencies(addition.get(), list, count, 0, result);
  };
  const ANeuralNetworksEvent *none = nullptr;
  EXPECT_EQ(kNull, start(nullptr, 1, &event));
  EXPECT_EQ(kNull, start(&none, 1, &event));
  EXPECT_EQ(kNull, start(nullptr, 0, nullptr));
  EXPECT_EQ(kOk, start(nullptr, 0, &event)); // none of these has started it
  ANeuralNetworksEvent_free(event);
  ANeuralNetworksEvent_free(nullptr);
}

TEST_F(EventTest, BadDescriptorsAreRefused) {
  ANeuralNetworksEvent *event = nullptr;
  const int closed = dup(2);
  close(closed);
  const int file = memfd_create("file", MFD_CLOEXEC);
  for (int descriptor : {-1, -100, 0, closed, 1 << 20, file}) {
    EXPECT_EQ(kBadData, ANeuralNetworksEvent_createFromSyncFenceFd(descriptor, &event)) << descriptor;
    EXPECT_EQ(nullptr, event);
  }
  close(file);
}

TEST_F(EventTest, AsynchronousEventHasNoFence) {
  Addition addition(compilation_);
  ANeuralNetworksEvent *event = nullptr;
  NEED(ANeuralNetworksExecution_startCompute(addition.get(), &event));
  const Event owner(event);
  int descriptor = -100;
  EXPECT_EQ(kBadData, ANeuralNetworksEvent_getSyncFenceFd(event, &descriptor));
  EXPECT_EQ(-1, descriptor);
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(event));
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(event));
  EXPECT_TRUE(addition.isRight());
}

TEST_F(EventTest, FreeWaitsForTheComputation) {
  Addition addition(compilation_);
  ANeuralNetworksEvent *event = nullptr;
  NEED(ANeuralNetworksExecution_startCompute(addition.get(), &event));
  ANeuralNetworksEvent_free(event);
  EXPECT_TRUE(addition.isRight());
}

TEST_F(EventTest, RunWaitsForAnEventDescriptor) {
  Addition addition(compilation_);
  const int descriptor = eventfd(0, EFD_CLOEXEC);
  const Event gate = eventOf(descriptor);
  const Event done = startAfter(addition, {gate.get()});
  uint32_t rank = 0;
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getOutputOperandRank(addition.get(), 0, &rank));
  const uint64_t one = 1;
  ASSERT_EQ(8, write(descriptor, &one, sizeof(one)));
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(done.get()));
  EXPECT_TRUE(addition.isRight());
  close(descriptor);
}

TEST_F(EventTest, ExecutionInFlightIsNotFreed) {
  Addition addition(compilation_);
  PipeFence fence;
  const Event gate = eventOf(fence.ends[0]);
  const Event done = startAfter(addition, {gate.get()});
  ANeuralNetworksExecution *raw = addition.get();
  ANeuralNetworksExecution_free(raw); // ignored
  uint32_t rank = 0;
  uint64_t duration = 0;
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getOutputOperandRank(raw, 0, &rank));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getDuration(raw, 0, &duration));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_compute(raw));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_setTimeout(raw, 1));
  fence.signal();
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(done.get()));
  EXPECT_TRUE(addition.isRight());
}

TEST_F(EventTest, DependenciesMayBeFreedAfterTheStart) {
  Addition addition(compilation_);
  Event done;
  {
    PipeFence fence;
    const Event gate = eventOf(fence.ends[0]);
    done = startAfter(addition, {gate.get()});
    fence.signal();
    EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(gate.get()));
  }
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(done.get()));
}

TEST_F(EventTest, ChainsRunInOrder) {
  Addition first(compilation_), second(compilation_), third(compilation_);
  NEED(ANeuralNetworksExecution_setReusable(first.get(), true));
  PipeFence fence;
  const Event gate = eventOf(fence.ends[0]);
  const Event a = startAfter(first, {gate.get()}), b = startAfter(second, {a.get()});
  const Event c = startAfter(third, {a.get(), b.get(), gate.get()});
  fence.signal();
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(c.get()));
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(b.get()));
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(a.get()));
  EXPECT_TRUE(first.isRight() && second.isRight() && third.isRight());
}

TEST_F(EventTest, DependencyWithoutFenceIsWaitedFor) {
  Addition first(compilation_), second(compilation_);
  ANeuralNetworksEvent *event = nullptr;
  NEED(ANeuralNetworksExecution_startCompute(first.get(), &event));
  const Event a(event), b = startAfter(second, {a.get()});
  EXPECT_TRUE(first.isRight());
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(b.get()));
  EXPECT_TRUE(second.isRight());
}

TEST_F(EventTest, FenceIsReadyAfterWait) {
  for (int i = 0; i < 20; ++i) {
    Addition addition(compilation_);
    const Event done = startAfter(addition, {});
    int descriptor = -1;
    if (ANeuralNetworksEvent_getSyncFenceFd(done.get(), &descriptor) != kOk) {
      EXPECT_EQ(-1, descriptor);
      continue;
    }
    EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(done.get()));
    EXPECT_TRUE(isReadable(descriptor, 0));
    close(descriptor);
  }
}

TEST_F(EventTest, ResultsAreThereOnceTheFenceIsReady) {
  const SharedFile file(64);
  const Memory memory = file.memory();
  for (bool isInMemory : {false, true})
    for (int i = 0; i < 20; ++i) {
      float values[] = {1, 2}, output[2] = {};
      const Execution execution = executionOf(compilation_);
      NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, values, 8));
      NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 1, nullptr, memory.get(), 0, 8));
      NEED(isInMemory ? ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory.get(), 32, 8)
                      : ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output, 8));
      ANeuralNetworksEvent *event = nullptr;
      NEED(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0, 0, &event));
      const Event done(event);
      int descriptor = -1;
      if (ANeuralNetworksEvent_getSyncFenceFd(event, &descriptor) == kOk) {
        ASSERT_TRUE(isReadable(descriptor, 60'000));
        close(descriptor);
      } else {
        NEED(ANeuralNetworksEvent_wait(event));
      }
      // Before the values are read, since ThreadSanitizer does not see that the fence orders threads.
      uint32_t rank = 0;
      EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank));
      EXPECT_EQ(2, (isInMemory ? file.floats() + 8 : output)[1]);
    }
}

TEST_F(EventTest, FencesOfEventsCrossEvents) {
  Addition first(compilation_), second(compilation_);
  PipeFence fence;
  const Event gate = eventOf(fence.ends[0]);
  const Event a = startAfter(first, {gate.get()});
  int descriptor = -1;
  ASSERT_EQ(kOk, ANeuralNetworksEvent_getSyncFenceFd(a.get(), &descriptor));
  EXPECT_FALSE(isReadable(descriptor, 0));
  const Event imported = eventOf(descriptor);
  close(descriptor);
  const Event b = startAfter(second, {imported.get()});
  fence.signal();
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(b.get()));
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(imported.get()));
  EXPECT_TRUE(first.isRight() && second.isRight());
}

TEST_F(EventTest, FailedDependencyFailsTheRun) {
  Addition first(compilation_), second(compilation_);
  PipeFence fence;
  // Longer than any delay before the service has the call, which would be refused after it.
  NEED(ANeuralNetworksExecution_setTimeout(first.get(), 300'000'000));
  const Event gate = eventOf(fence.ends[0]);
  const Event a = startAfter(first, {gate.get()});
  const Event b = startAfter(second, {a.get()});
  EXPECT_NE(kOk, ANeuralNetworksEvent_wait(a.get())); // its deadline passes before the gate opens
  EXPECT_NE(kOk, ANeuralNetworksEvent_wait(b.get()));
  fence.signal();
}

TEST_F(EventTest, DurationAfterDependenciesNeedsOneDevice) {
  const Compilation all = compileForAll(addModel());
  Addition addition(all);
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(kBadData,
            ANeuralNetworksExecution_startComputeWithDependencies(addition.get(), nullptr, 0, 1'000'000'000, &event));
  Addition one(compilation_);
  const Event done = startAfter(one, {}, UINT64_MAX);
  EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(done.get()));
}

} // namespace
} // namespace avocet::nnapi::testing
