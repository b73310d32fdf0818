//===- OutOfMemoryTest.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Lets each allocation of a computation fail once. The call says so, and the execution and the burst can be used again.
// The device is that of a service: the simulator, which otherwise runs on the caller's thread, is not tested here.

#include "Objects.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr int kNever = std::numeric_limits<int>::max();
/// Allocations of this thread until one fails. Other threads, the device's for example, never fail.
thread_local int allocationsLeft = kNever;

void *allocate(size_t size) {
  if (allocationsLeft != kNever && allocationsLeft-- == 0) {
    allocationsLeft = kNever;
    throw std::bad_alloc();
  }
  if (void *memory = std::malloc(size == 0 ? 1 : size))
    return memory;
  throw std::bad_alloc();
}

} // namespace

void *operator new(size_t size) { return allocate(size); }
void *operator new[](size_t size) { return allocate(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

namespace avocet::nnapi::testing {
namespace {

/// The library's code, that of its driver, and that of a connection which ended since it could not keep an answer.
bool saysOutOfMemory(int code) {
  return code == ANEURALNETWORKS_OUT_OF_MEMORY || code == ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT ||
         code == ANEURALNETWORKS_DEAD_OBJECT;
}

/// Runs `compute` with one more allocation allowed each time until it succeeds.
template <typename Compute> void failEachAllocation(Compute compute) {
  constexpr int kMaxAllocations = 10'000;
  int allowed = 0;
  for (int code = kFailed; code != kOk; ++allowed) {
    ASSERT_LT(allowed, kMaxAllocations);
    allocationsLeft = allowed;
    code = compute();
    const bool hasFailed = allocationsLeft == kNever;
    allocationsLeft = kNever;
    if (hasFailed && code != kOk)
      ASSERT_TRUE(saysOutOfMemory(code)) << "allocation " << allowed << ": code " << code;
    else
      ASSERT_EQ(code, kOk) << "allocation " << allowed;
    ASSERT_EQ(compute(), kOk) << "after a failure of allocation " << allowed;
  }
  EXPECT_GT(allowed, 1) << "no allocation was made to fail";
}

TEST(OutOfMemory, LeavesTheExecutionUsable) {
  const Model model = addModel();
  const Compilation compilation = compile(model);
  Addition addition(compilation, /*isReusable=*/true);
  failEachAllocation([&] { return ANeuralNetworksExecution_compute(addition.get()); });
  EXPECT_TRUE(addition.isRight());
}

TEST(OutOfMemory, LeavesTheBurstUsable) {
  const Model model = addModel();
  const Compilation compilation = compile(model);
  const Burst burst = burstOf(compilation);
  Addition addition(compilation, /*isReusable=*/true);
  failEachAllocation([&] { return ANeuralNetworksExecution_burstCompute(addition.get(), burst.get()); });
  EXPECT_TRUE(addition.isRight());
}

} // namespace
} // namespace avocet::nnapi::testing
