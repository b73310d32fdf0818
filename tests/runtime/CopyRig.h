//===- CopyRig.h - A device with copy jobs ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by tests of the runtime's objects: a simulated device, contexts of it with the copy model loaded, and jobs of
// that model, which either copy once or loop until they are ended from outside.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_COPYRIG_H
#define AVOCET_TESTS_RUNTIME_COPYRIG_H

#include "Conformance.h"

#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <algorithm>

namespace avocet::runtime::test {

inline constexpr uint32_t kCopyBytes = 64;

/// The copy program in an infinite loop.
inline cache::ModelDescription endlessModel(uint32_t bytes) {
  using namespace firmware;
  cache::ModelDescription model = copyModel(*testTarget(), bytes);
  const std::vector<ControlInstruction> endless = {LoopEnterInstruction{0}, LoopCheckInstruction{0}, RunInstruction{0},
                                                   JumpInstruction{1}, EndInstruction{}};
  model.control = encodeControl(endless);
  return model;
}

/// A job of the copy model with its own buffers.
struct CopyJob {
  std::unique_ptr<Job> job;
  std::shared_ptr<BufferMapping> input, output;

  void fill(uint8_t value) {
    std::ranges::fill(input->buffer()->bytes(), value);
    std::ranges::fill(output->buffer()->bytes(), uint8_t(~value));
  }
  bool hasCopied(uint8_t value) const {
    return std::ranges::all_of(output->buffer()->bytes(), [&](uint8_t byte) { return byte == value; });
  }
  firmware::FaultCode fault() const { return job->fence()->outcome().fault; }
};

/// A context with one queue; makes jobs for it.
class CopyClient {
public:
  CopyClient(std::shared_ptr<Device> device, uint32_t owner = 0, uint32_t priority = 0)
      : context(Context::create(std::move(device), owner).value()), queue(Queue::create(context, priority).value()),
        once_(load(copyModel(*testTarget(), kCopyBytes))) {}

  CopyJob makeJob() { return makeJob(once_); }

  /// A job of a model with the operands of the copy model.
  CopyJob makeJobOf(const cache::ModelDescription &model) { return makeJob(load(model)); }

  /// Ends only when it is cancelled or reset, or at its deadline or loop time limit.
  CopyJob makeEndlessJob(uint64_t predictedCycles = 0) {
    cache::ModelDescription model = endlessModel(kCopyBytes);
    model.predictedCycles = predictedCycles;
    CopyJob endless = makeJobOf(model);
    endless.job->setLoopTimeout(UINT64_MAX);
    endless.fill(1);
    return endless;
  }

  std::shared_ptr<BufferMapping> mapBuffer(Access access) {
    return context->map(Buffer::create(context->sharedDevice(), kCopyBytes).value(), access).value();
  }

  std::shared_ptr<Context> context;
  std::shared_ptr<Queue> queue;

private:
  std::shared_ptr<const Executable> load(const cache::ModelDescription &description) {
    auto model = cache::ModelCache::adopt(cache::writeModelCache(description).value(), "test").value();
    return Executable::load(context, model, *cache::DataCache::fromBytes({}).value()).value();
  }

  CopyJob makeJob(const std::shared_ptr<const Executable> &executable) {
    CopyJob made{Job::create(executable).value(), mapBuffer(Access::Read), mapBuffer(Access::Write)};
    EXPECT_TRUE(made.job->bindInput(0, made.input).isOk());
    EXPECT_TRUE(made.job->bindOutput(0, made.output).isOk());
    return made;
  }

  std::shared_ptr<const Executable> once_;
};

inline std::shared_ptr<Device> openTestDevice(std::string_view backend = "sim") {
  registerSimBackend();
  BackendOptions options;
  options.target = testTarget();
  Result<std::shared_ptr<Device>> device = Device::open(backend, options);
  EXPECT_TRUE(device.isOk()) << device.status().toString();
  return device.value();
}

} // namespace avocet::runtime::test

#endif // AVOCET_TESTS_RUNTIME_COPYRIG_H
