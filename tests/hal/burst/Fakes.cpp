//===- Fakes.cpp - Fakes for tests of bursts --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fakes.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace avocet::hal::testing {
namespace {

int fdOf(const SharedMemory &memory) { return std::get<Ashmem>(memory->handle).fd->get(); }

ExecutionOutcome failed(const Error &error) {
  ExecutionOutcome outcome;
  outcome.status = error.code;
  outcome.message = error.message;
  return outcome;
}

bool transfer(const Request &request, size_t i) {
  const DataLocation &from = request.inputs[i].location, &to = request.outputs[i].location;
  std::vector<uint8_t> bytes(to.length);
  const auto &source = std::get<SharedMemory>(request.pools.at(from.poolIndex));
  const auto &target = std::get<SharedMemory>(request.pools.at(to.poolIndex));
  if (::pread(fdOf(source), bytes.data(), bytes.size(), static_cast<off_t>(from.offset)) < 0)
    return false;
  std::ranges::for_each(bytes, [](uint8_t &byte) { ++byte; });
  return ::pwrite(fdOf(target), bytes.data(), bytes.size(), static_cast<off_t>(to.offset)) >= 0;
}

} // namespace

Pool::Pool(uint64_t bytes) {
  avocet::Result<FileDescriptor> file = createMemoryFile("pool", bytes);
  EXPECT_TRUE(file.isOk());
  memory_ = std::make_shared<const Memory>(
      Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(file).value()), bytes}});
}

std::string Pool::text(size_t size) const {
  std::string text(size, '\0');
  EXPECT_GE(::pread(fdOf(memory_), text.data(), size, 0), 0);
  return text;
}

void Pool::set(const std::string &text) {
  EXPECT_EQ(::pwrite(fdOf(memory_), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

Outcome FakeBurst::keep(const Request &request, const std::vector<int64_t> &memoryIdentifiers) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < request.pools.size(); ++i) {
    const auto &memory = std::get<SharedMemory>(request.pools[i]);
    if (!isSameMemory(kept_.try_emplace(memoryIdentifiers.at(i), memory).first->second, memory))
      return invalidArgument("another memory under a known identifier");
  }
  maxKept_ = std::max(maxKept_, kept_.size());
  return success();
}

ExecutionOutcome FakeBurst::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                    const ExecutionOptions &options) {
  ++numExecutions;
  if (memoryIdentifiers.size() != request.pools.size() || request.inputs.size() != request.outputs.size())
    return failed(invalidArgument("counts"));
  if (Outcome kept = keep(request, memoryIdentifiers); !kept)
    return failed(kept.error());
  ExecutionOutcome outcome;
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    if (!transfer(request, i))
      return failed(generalFailure("transfer"));
    outcome.outputShapes.push_back({{static_cast<uint32_t>(request.outputs[i].location.length)}, true});
  }
  if (options.measure == MeasureTiming::Yes)
    outcome.timing = {std::chrono::microseconds(7), std::chrono::microseconds(9)};
  std::unique_lock lock(mutex_);
  const Hook hook = hook_;
  lock.unlock();
  if (hook)
    hook(outcome);
  return outcome;
}

void FakeBurst::setHook(Hook hook) {
  std::lock_guard lock(mutex_);
  hook_ = std::move(hook);
}

Outcome FakeBurst::releaseMemoryResource(int64_t identifier) {
  std::lock_guard lock(mutex_);
  kept_.erase(identifier);
  return success();
}

size_t FakeBurst::numKept() const {
  std::lock_guard lock(mutex_);
  return kept_.size();
}

size_t FakeBurst::maxKept() const {
  std::lock_guard lock(mutex_);
  return maxKept_;
}

ExecutionOutcome FakeModel::execute(const Request &request, const ExecutionOptions &) {
  ++numExecutions;
  ExecutionOutcome outcome;
  for (const RequestArgument &output : request.outputs)
    outcome.outputShapes.push_back({{static_cast<uint32_t>(output.location.length)}, true});
  return outcome;
}

ErrorStatus FakeModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                             ExecutionCallback callback) {
  callback(execute(request, options));
  return ErrorStatus::None;
}

Result<std::shared_ptr<IExecution>> FakeModel::createReusableExecution(const Request &, const ExecutionOptions &) {
  return generalFailure("not needed here");
}

Request copyRequest(const Pool &input, const Pool &output, uint64_t bytes) {
  Request request;
  request.inputs = {{false, {0, 0, bytes, 0}, {}}};
  request.outputs = {{false, {1, 0, bytes, 0}, {}}};
  request.pools = {input.memory(), output.memory()};
  return request;
}

size_t numOpenDescriptors() {
  std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

Connected::Connected(const BurstClientOptions &client, const BurstServerOptions &server) {
  auto send = [&](const BurstOffer &offer) -> Outcome {
    AVOCET_ASSIGN_OR_RETURN(served, serveBurst(executor, offer, server, [this] { ++numEnds; }));
    return success();
  };
  Result<std::shared_ptr<IBurst>> opened = openBurst(model, send, client);
  EXPECT_TRUE(opened.isOk()) << opened.error().message;
  burst = *opened;
}

} // namespace avocet::hal::testing
