//===- ConcurrentKindsTest.cpp - Kinds of execution at the same time ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "ExecutionKinds.h"

#include <atomic>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

class ConcurrentKindsTest : public DeviceFixture {};

/// Each thread has its own memory, so that a result of another thread would be seen.
TEST_F(ConcurrentKindsTest, KindsShareOneModel) {
  constexpr int kRuns = 20;
  auto model = prepare(addModel({4}));
  ASSERT_NE(model, nullptr);
  std::atomic<int> right = 0;
  auto repeat = [&](const ExecutionKind &kind, int thread) {
    TestPool inputs(32), outputs(16);
    const Request request = requestOf({16, 16}, {16}, inputs, outputs);
    for (int i = 0; i < kRuns; ++i) {
      const auto value = static_cast<float>(100 * thread + i);
      std::ranges::fill(inputs.as<float>(), value);
      if (kind.run(*model, request, {}) == ErrorStatus::None && outputs.as<float>()[3] == 2 * value)
        ++right;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (const ExecutionKind &kind : executionKinds())
      threads.emplace_back([&repeat, &kind, number = static_cast<int>(threads.size())] { repeat(kind, number); });
  }
  EXPECT_EQ(right, kRuns * static_cast<int>(executionKinds().size()));
}

} // namespace
} // namespace avocet::hal
