//===- ClientCalls.cpp - Every call of the C++ client -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientCalls.h"

#include "Require.h"
#include "SmallModels.h"
#include "script_generated.h"

#include "avocet/hal/ipc/Client.h"

#include <algorithm>
#include <thread>

namespace avocet::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace hal;
using fb::ClientCallKind;

constexpr const char *kDevice = "npu";

testing::TestPool &inputs() {
  static testing::TestPool pool(32);
  return pool;
}
testing::TestPool &outputs() {
  static testing::TestPool pool(16);
  return pool;
}
Request request() { return testing::requestOf({16, 16}, {16}, inputs(), outputs()); }

ExecutionOptions executionOptions(uint8_t detail) {
  ExecutionOptions options;
  options.measure = detail % 2 == 0 ? MeasureTiming::No : MeasureTiming::Yes;
  if (detail % 4 == 3)
    options.deadline = BootClock::now() + 1ms;
  return options;
}

CacheFiles cacheFiles() {
  const SharedHandle file = std::get<Ashmem>(outputs().memory()->handle).fd;
  return {{file}, {file}, {}};
}

PrepareOptions prepareOptions(uint8_t detail) {
  PrepareOptions options;
  if (detail % 2 == 1)
    options.cache = cacheFiles();
  if (detail % 4 == 3)
    options.deadline = BootClock::now() + 1ms;
  return options;
}

} // namespace

ClientCalls::ClientCalls(std::string path, const Table &script)
    : path_(std::move(path)), isResilient_(numberOf(script, fb::ClientScript::VT_RESILIENT) != 0) {
  options_.connect.burst =
      numberOf(script, fb::ClientScript::VT_BURST_CALLS) != 0 ? BurstKind::Calls : BurstKind::Queues;
  options_.connect.queues.queueElements = 32;
  options_.connect.queues.answerTimeout = 5ms;
  options_.firstPause = 1ms;
  options_.longestPause = 1ms;
  options_.patience = 3ms;
}

void ClientCalls::call(const Table &call) {
  using Perform = void (ClientCalls::*)(Arguments);
  static constexpr Perform kCalls[] = {&ClientCalls::listDevices,
                                       &ClientCalls::readTotals,
                                       &ClientCalls::connect,
                                       &ClientCalls::status,
                                       &ClientCalls::getSupported,
                                       &ClientCalls::prepare,
                                       &ClientCalls::prepareAsynchronously,
                                       &ClientCalls::prepareFromCache,
                                       &ClientCalls::execute,
                                       &ClientCalls::executeAsynchronously,
                                       &ClientCalls::createExecution,
                                       &ClientCalls::compute,
                                       &ClientCalls::executeFenced,
                                       &ClientCalls::computeFenced,
                                       &ClientCalls::fencedInfo,
                                       &ClientCalls::allocate,
                                       &ClientCalls::copyTo,
                                       &ClientCalls::copyFrom,
                                       &ClientCalls::configureBurst,
                                       &ClientCalls::executeBurst,
                                       &ClientCalls::releaseMemory,
                                       &ClientCalls::drop};
  static_assert(std::size(kCalls) == static_cast<size_t>(ClientCallKind::MAX) + 1);
  const auto kind = static_cast<ClientCallKind>(numberOf(call, fb::ClientCall::VT_KIND) % std::size(kCalls));
  const bool needsNoDevice =
      kind == ClientCallKind::ListDevices || kind == ClientCallKind::ReadTotals || kind == ClientCallKind::Connect;
  if (device_ == nullptr && !needsNoDevice)
    return;
  const Arguments arguments{numberOf(call, fb::ClientCall::VT_OBJECT),
                            static_cast<uint8_t>(numberOf(call, fb::ClientCall::VT_DETAIL))};
  (this->*kCalls[static_cast<size_t>(kind)])(arguments);
}

template <typename T> T *ClientCalls::pick(const std::vector<std::shared_ptr<T>> &objects, Arguments arguments) const {
  return objects.empty() ? nullptr : objects[arguments.object % objects.size()].get();
}

template <typename T>
void ClientCalls::keep(std::vector<std::shared_ptr<T>> &objects, hal::Result<std::shared_ptr<T>> made) {
  if (!made)
    return;
  require(*made != nullptr, "a call succeeded without an object");
  objects.push_back(std::move(*made));
}

void ClientCalls::keep(hal::Result<FencedLaunch> launch) {
  if (!launch)
    return;
  require(launch->info != nullptr, "a fenced execution was launched without its information");
  (void)launch->fence.state();
  fenced_.push_back(std::move(launch->info));
}

std::shared_ptr<std::atomic<int>> ClientCalls::newCallback() {
  callbacks_.push_back(std::make_shared<std::atomic<int>>(0));
  return callbacks_.back();
}

void ClientCalls::listDevices(Arguments) { (void)hal::listDevices(path_); }
void ClientCalls::readTotals(Arguments) { (void)hal::readTotals(path_); }

void ClientCalls::connect(Arguments) {
  dropAll();
  auto device =
      isResilient_ ? connectResilientDevice(path_, kDevice, options_) : connectDevice(path_, kDevice, options_.connect);
  if (device)
    device_ = std::move(*device);
}

void ClientCalls::status(Arguments) { (void)device_->status(); }
void ClientCalls::getSupported(Arguments) { (void)device_->getSupportedOperations(testing::addModel({4})); }

void ClientCalls::prepare(Arguments arguments) {
  const Model model = arguments.detail % 8 < 4 ? testing::addModel({4}) : testing::addConstantModel({1, 2, 3, 4});
  keep(models_, device_->prepareModel(model, prepareOptions(arguments.detail)));
}

void ClientCalls::prepareAsynchronously(Arguments arguments) {
  auto callback = [numCalls = newCallback()](ErrorStatus status, const std::shared_ptr<IPreparedModel> &model) {
    require((status == ErrorStatus::None) == (model != nullptr),
            "a callback without a model, or with one and an error");
    ++*numCalls;
  };
  (void)device_->prepareModelAsynchronously(testing::addModel({4}), prepareOptions(arguments.detail), callback);
}

void ClientCalls::prepareFromCache(Arguments) { keep(models_, device_->prepareModelFromCache({}, cacheFiles())); }

void ClientCalls::execute(Arguments arguments) {
  if (IPreparedModel *model = pick(models_, arguments))
    (void)model->execute(request(), executionOptions(arguments.detail));
}

void ClientCalls::executeAsynchronously(Arguments arguments) {
  if (IPreparedModel *model = pick(models_, arguments))
    (void)model->executeAsynchronously(request(), executionOptions(arguments.detail),
                                       [numCalls = newCallback()](const ExecutionOutcome &) { ++*numCalls; });
}

void ClientCalls::createExecution(Arguments arguments) {
  if (IPreparedModel *model = pick(models_, arguments))
    keep(executions_, model->createReusableExecution(request(), executionOptions(arguments.detail)));
}

void ClientCalls::compute(Arguments arguments) {
  if (IExecution *execution = pick(executions_, arguments))
    (void)execution->compute({});
}

void ClientCalls::executeFenced(Arguments arguments) {
  if (IPreparedModel *model = pick(models_, arguments))
    keep(model->executeFenced(request(), {SyncFence()}, {executionOptions(arguments.detail), {}}));
}

void ClientCalls::computeFenced(Arguments arguments) {
  if (IExecution *execution = pick(executions_, arguments))
    keep(execution->computeFenced({SyncFence()}, {}, {}));
}

void ClientCalls::fencedInfo(Arguments arguments) {
  if (IFencedExecution *fenced = pick(fenced_, arguments))
    (void)fenced->executionInfo();
}

void ClientCalls::allocate(Arguments arguments) {
  if (!models_.empty())
    keep(buffers_, device_->allocate({4}, {{models_[arguments.object % models_.size()], 0, 1}}, {}));
}

void ClientCalls::copyTo(Arguments arguments) {
  if (IBuffer *buffer = pick(buffers_, arguments))
    (void)buffer->copyTo(outputs().memory());
}

void ClientCalls::copyFrom(Arguments arguments) {
  if (IBuffer *buffer = pick(buffers_, arguments))
    (void)buffer->copyFrom(outputs().memory(), {4});
}

void ClientCalls::configureBurst(Arguments arguments) {
  if (IPreparedModel *model = pick(models_, arguments))
    keep(bursts_, model->configureBurst());
}

void ClientCalls::executeBurst(Arguments arguments) {
  if (IBurst *burst = pick(bursts_, arguments))
    (void)burst->execute(request(), {arguments.detail % 3, arguments.detail % 2 - 1}, {});
}

void ClientCalls::releaseMemory(Arguments arguments) {
  if (IBurst *burst = pick(bursts_, arguments))
    (void)burst->releaseMemoryResource(arguments.detail % 3);
}

void ClientCalls::drop(Arguments arguments) {
  auto dropOne = [&](auto &objects) {
    if (!objects.empty())
      objects.erase(objects.begin() + static_cast<ptrdiff_t>(arguments.object % objects.size()));
  };
  switch (arguments.detail % 5) {
  case 0:
    return dropOne(models_);
  case 1:
    return dropOne(executions_);
  case 2:
    return dropOne(fenced_);
  case 3:
    return dropOne(buffers_);
  default:
    return dropOne(bursts_);
  }
}

void ClientCalls::dropAll() {
  bursts_.clear();
  buffers_.clear();
  fenced_.clear();
  executions_.clear();
  models_.clear();
  device_.reset();
}

void ClientCalls::requireCallbacks() const {
  const auto end = std::chrono::steady_clock::now() + 8s;
  auto isDone = [](const std::shared_ptr<std::atomic<int>> &numCalls) { return *numCalls > 0; };
  while (!std::all_of(callbacks_.begin(), callbacks_.end(), isDone)) {
    require(std::chrono::steady_clock::now() < end, "an asynchronous call did not call back");
    std::this_thread::sleep_for(50us);
  }
  require(std::all_of(callbacks_.begin(), callbacks_.end(), [](const auto &numCalls) { return *numCalls == 1; }),
          "an asynchronous call called back twice");
}

} // namespace avocet::fuzz
