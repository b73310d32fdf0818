//===- FakeClientDevice.cpp - A device that records its calls ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeClientDevice.h"

#include <thread>

/// Tests fork while services run. ThreadSanitizer reads its options from the function with this name.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): ThreadSanitizer calls this name
extern "C" const char *__tsan_default_options();
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace avocet::hal::testing {
namespace {

/// One client: whether it was abandoned.
struct Presence {
  std::shared_ptr<FakeState> state;
  bool gone = false;
};
using SharedPresence = std::shared_ptr<Presence>;

ExecutionOutcome run(Presence &client, const Request &request) {
  FakeState &state = *client.state;
  std::unique_lock lock(state.mutex);
  state.request = request;
  ++state.executions;
  ++state.blocked;
  state.changed.notify_all();
  state.changed.wait(lock, [&] { return !state.blocks || client.gone; });
  --state.blocked;
  state.changed.notify_all();
  if (client.gone)
    return {ErrorStatus::GeneralFailure, "abandoned", {}, {}};
  ExecutionOutcome outcome;
  outcome.outputShapes = {{{4}, true}};
  return outcome;
}

class FakeFenced final : public IFencedExecution {
public:
  explicit FakeFenced(SyncFence fence) : fence_(std::move(fence)) {}
  Result<FencedTimes> executionInfo() override {
    if (fence_.state() != FenceState::Signaled)
      return generalFailure("not yet");
    return FencedTimes{{Duration(1), Duration(2)}, {Duration(3), Duration(4)}};
  }

private:
  SyncFence fence_;
};

Result<FencedLaunch> launch(Presence &client, const std::vector<SyncFence> &waitFor,
                            const OptionalDuration &timeoutAfterFence) {
  AVOCET_ASSIGN_OR_RETURN(auto made, FenceSignaler::create());
  std::lock_guard lock(client.state->mutex);
  client.state->waitFor = waitFor;
  client.state->timeoutAfterFence = timeoutAfterFence;
  client.state->signaler.emplace(std::move(made.second));
  return FencedLaunch{made.first, std::make_shared<FakeFenced>(made.first)};
}

class FakeExecution final : public IExecution {
public:
  FakeExecution(SharedPresence client, Request request) : client_(std::move(client)), request_(std::move(request)) {}
  ExecutionOutcome compute(const OptionalTimePoint &) override { return run(*client_, request_); }
  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &,
                                     const OptionalDuration &timeoutAfterFence) override {
    return launch(*client_, waitFor, timeoutAfterFence);
  }

private:
  SharedPresence client_;
  Request request_;
};

class FakeBurst final : public IBurst {
public:
  explicit FakeBurst(SharedPresence client) : client_(std::move(client)) {}
  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &identifiers,
                           const ExecutionOptions &options) override {
    {
      std::lock_guard lock(client_->state->mutex);
      client_->state->identifiers = identifiers;
      client_->state->deadline = options.deadline;
    }
    return run(*client_, request);
  }
  Outcome releaseMemoryResource(int64_t) override {
    std::lock_guard lock(client_->state->mutex);
    ++client_->state->releases;
    return success();
  }

private:
  SharedPresence client_;
};

class FakePrepared final : public IPreparedModel {
public:
  explicit FakePrepared(SharedPresence client) : client_(std::move(client)) {}
  ExecutionOutcome execute(const Request &request, const ExecutionOptions &) override { return run(*client_, request); }
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &,
                                    ExecutionCallback callback) override {
    std::thread([client = client_, request, callback = std::move(callback)] {
      callback(run(*client, request));
    }).detach();
    return ErrorStatus::None;
  }
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &) override {
    return std::shared_ptr<IExecution>(std::make_shared<FakeExecution>(client_, request));
  }
  Result<FencedLaunch> executeFenced(const Request &, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override {
    return launch(*client_, waitFor, options.timeoutAfterFence);
  }
  Result<std::shared_ptr<IBurst>> configureBurst() override {
    return std::shared_ptr<IBurst>(std::make_shared<FakeBurst>(client_));
  }

private:
  SharedPresence client_;
};

class FakeBuffer final : public IBuffer {
public:
  explicit FakeBuffer(SharedPresence client) : client_(std::move(client)) {}
  BufferToken token() const override { return BufferToken(77); }
  Outcome copyTo(const SharedMemory &memory) override {
    std::lock_guard lock(client_->state->mutex);
    client_->state->memory = memory;
    return isWritten_ ? success() : generalFailure("the buffer is not initialized");
  }
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override {
    std::lock_guard lock(client_->state->mutex);
    client_->state->memory = memory;
    client_->state->dimensions = dimensions;
    isWritten_ = true;
    return success();
  }

private:
  SharedPresence client_;
  bool isWritten_ = false;
};

class FakeClient final : public ClientDevice {
public:
  explicit FakeClient(std::shared_ptr<FakeState> state) : client_(std::make_shared<Presence>()) {
    version_ = state->version;
    client_->state = std::move(state);
  }
  const std::string &name() const override { return name_; }
  const std::string &versionString() const override { return version_; }
  Version featureLevel() const override { return kLatestVersion; }
  DeviceType type() const override { return DeviceType::Accelerator; }
  const std::vector<Extension> &supportedExtensions() const override { return extensions_; }
  const Capabilities &capabilities() const override { return capabilities_; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return {1, 1}; }
  MemoryPreference memoryPreference() const override { return {256, 32}; }
  DeviceStatus status() const override { return DeviceStatus::Available; }
  Result<SupportedOperations> getSupportedOperations(const Model &) const override { return SupportedOperations{}; }
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &, const PrepareOptions &) override {
    return std::shared_ptr<IPreparedModel>(std::make_shared<FakePrepared>(client_));
  }
  ErrorStatus prepareModelAsynchronously(const Model &, const PrepareOptions &,
                                         PreparedModelCallback callback) override {
    callback(ErrorStatus::None, std::make_shared<FakePrepared>(client_));
    return ErrorStatus::None;
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &,
                                                                const CacheFiles &) override {
    return generalFailure("nothing was saved");
  }
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override {
    std::lock_guard lock(client_->state->mutex);
    client_->state->dimensions = dimensions;
    client_->state->inputRoles = inputRoles;
    client_->state->outputRoles = outputRoles;
    return std::shared_ptr<IBuffer>(std::make_shared<FakeBuffer>(client_));
  }
  void abandon() override {
    std::lock_guard lock(client_->state->mutex);
    client_->state->abandoned += client_->gone ? 0 : 1;
    client_->gone = true;
    client_->state->signaler.reset();
    client_->state->changed.notify_all();
  }

private:
  const std::string name_ = "fake";
  std::string version_;
  const std::vector<Extension> extensions_;
  const Capabilities capabilities_;
  SharedPresence client_;
};

} // namespace

std::shared_ptr<ClientDevice> makeFakeDevice(const std::shared_ptr<FakeState> &state) {
  return std::make_shared<FakeClient>(state);
}

} // namespace avocet::hal::testing
