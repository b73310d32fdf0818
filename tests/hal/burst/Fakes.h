//===- Fakes.h - Fakes for tests of bursts ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_BURST_FAKES_H
#define AVOCET_TESTS_HAL_BURST_FAKES_H

#include "avocet/hal/burst/Burst.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace avocet::hal::testing {

/// Shared memory whose contents a test can read and write.
class Pool {
public:
  explicit Pool(uint64_t bytes);
  const SharedMemory &memory() const { return memory_; }
  std::string text(size_t size) const;
  void set(const std::string &text);

private:
  SharedMemory memory_;
};

/// Output i gets the bytes of input i, each plus 1; shapes are [length]. Checks identifiers as strictly as a driver.
/// Thread-safe with a mutex: the queues do order the client and the server, but through memory that is mapped twice,
/// where ThreadSanitizer sees no order.
class FakeBurst : public IBurst {
public:
  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

  size_t numKept() const;
  size_t maxKept() const;
  using Hook = std::function<void(ExecutionOutcome &)>;
  /// Called during each execution; may change its outcome. Null: no hook.
  void setHook(Hook hook);
  std::atomic<uint64_t> numExecutions{0};

private:
  Outcome keep(const Request &request, const std::vector<int64_t> &memoryIdentifiers);

  mutable std::mutex mutex_;
  Hook hook_;
  std::map<int64_t, SharedMemory> kept_;
  size_t maxKept_ = 0;
};

/// Counts the executions that a burst passes to its model instead.
class FakeModel final : public IPreparedModel {
public:
  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  std::atomic<uint64_t> numExecutions{0};
};

/// One input at the start of pool 0 and one output at the start of pool 1, of `bytes` bytes each.
Request copyRequest(const Pool &input, const Pool &output, uint64_t bytes);

size_t numOpenDescriptors();

/// Waits up to 20 s until another thread makes the condition true; returns whether it is.
template <typename Condition> bool eventually(Condition &&condition) {
  for (int i = 0; i < 4000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return condition();
}

/// A client and the service's end in this process.
struct Connected {
  explicit Connected(const BurstClientOptions &client = {}, const BurstServerOptions &server = {});

  std::shared_ptr<FakeBurst> executor = std::make_shared<FakeBurst>();
  std::shared_ptr<FakeModel> model = std::make_shared<FakeModel>();
  std::atomic<int> numEnds{0};
  std::unique_ptr<ServedBurst> served;
  std::shared_ptr<IBurst> burst;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_BURST_FAKES_H
