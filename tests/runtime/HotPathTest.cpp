//===- HotPathTest.cpp - Submitting a job allocates nothing -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A separate program, because it replaces the allocator of the whole program by one that counts.
//
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"
#include "ForwardingBackend.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {

/// Of this thread only: the device may allocate on its own thread, and on a thread that drives it.
thread_local uint64_t allocations = 0;

void *allocate(size_t bytes) {
  ++allocations;
  void *memory = std::malloc(bytes);
  if (memory == nullptr)
    std::abort();
  return memory;
}

} // namespace

void *operator new(size_t bytes) { return allocate(bytes); }
void *operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

namespace avocet::runtime::test {
namespace {

/// Does not count the device's allocations on the caller's thread.
class UncountedDevice final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  void drive(ContextHandle context, JobHandle job) override {
    const uint64_t before = allocations;
    ForwardingBackend::drive(context, job);
    allocations = before;
  }
};

class HotPathTest : public testing::TestWithParam<std::string> {};

TEST_P(HotPathTest, SubmitAndWaitDoNotAllocate) {
  constexpr uint32_t kBytes = 64;
  registerSimBackend();
  BackendOptions options;
  options.target = firmware::Target::load("e256").value();
  auto device = Device::adopt(std::make_unique<UncountedDevice>(openBackend(GetParam(), options).value())).value();
  auto context = Context::create(device).value();
  auto bytes = cache::writeModelCache(copyModel(*options.target, kBytes)).value();
  auto model = cache::ModelCache::adopt(bytes, "test").value();
  auto data = cache::DataCache::fromBytes({}).value();
  auto job = Job::create(Executable::load(context, model, *data).value()).value();
  ASSERT_TRUE(job->bindInput(0, context->map(Buffer::create(device, kBytes).value(), Access::Read).value()).isOk());
  ASSERT_TRUE(job->bindOutput(0, context->map(Buffer::create(device, kBytes).value(), Access::Write).value()).isOk());
  auto queue = Queue::create(context).value();
  ASSERT_TRUE(queue->run(*job).isOk());

  uint64_t before = allocations;
  EXPECT_NE(before, 0u) << "the counter does not count";
  bool allRan = true;
  for (int i = 0; i < 100; ++i) {
    allRan = queue->run(*job).isOk() && allRan;
    allRan = queue->submit(*job).isOk() && allRan;
    job->fence()->wait();
  }
  uint64_t after = allocations;
  EXPECT_TRUE(allRan);
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(Backends, HotPathTest, testing::Values("null", "sim", AVOCET_MINE_PLUGIN),
                         [](const auto &info) { return info.param == AVOCET_MINE_PLUGIN ? "plugin" : info.param; });

} // namespace
} // namespace avocet::runtime::test
