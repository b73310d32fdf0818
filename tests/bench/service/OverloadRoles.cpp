//===- OverloadRoles.cpp - Processes of the overload scenario -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop.h"
#include "Overload.h"
#include "avocet/hal/ipc/Client.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

/// The first user of the greedy processes; these users do not exist.
constexpr uid_t kFirstUser = 60000;
constexpr double kClientSeconds = 2;
constexpr uint32_t kGreedyElements = 1 << 18; ///< 1 MiB in a buffer

using Device = std::shared_ptr<IDevice>;

OverloadState &attach(Mapping &mapping, int descriptor) {
  mapping = need(Mapping::map(descriptor, sizeof(OverloadState), Mapping::Access::ReadWrite));
  return *reinterpret_cast<OverloadState *>(mapping.bytes().data());
}

/// One connection with all resources that it can get.
class Greedy {
public:
  Greedy(Device device, OverloadState &shared) : device_(std::move(device)), shared_(shared) {
    if (auto prepared = device_->prepareModel(sumModel(kGreedyElements), {}))
      models_.push_back(*prepared);
    while (!models_.empty()) {
      auto buffer = device_->allocate({}, {{models_[0], 0, 1}}, {});
      if (!buffer)
        break;
      buffers_.push_back(*buffer);
    }
    ++shared_.refusals;
  }

  const Device &device() const { return device_; }

private:
  const Device device_;
  OverloadState &shared_;
  std::vector<std::shared_ptr<IPreparedModel>> models_;
  std::vector<std::shared_ptr<IBuffer>> buffers_;
};

/// Prepares and executes without pause. A refused preparation is retried after 10 ms; a failed execution prepares anew.
void executeForEver(const Device &device, OverloadState &shared) {
  while (!shared.isEnd) {
    auto prepared = device->prepareModel(sumModel(OverloadState::kElements), {});
    if (!prepared) {
      ++shared.refusals;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    BenchPool input(OverloadState::kElements * 4), output(OverloadState::kElements * 4);
    Request request;
    request.inputs = {{false, {0, 0, OverloadState::kElements * 4, 0}, {}}};
    request.outputs = {{false, {1, 0, OverloadState::kElements * 4, 0}, {}}};
    request.pools = {input.memory(), output.memory()};
    while (!shared.isEnd && (*prepared)->execute(request, {}).isOk())
      ++shared.executions;
  }
}

void compileForEver(const Device &device, OverloadState &shared) {
  for (uint32_t size = 1; !shared.isEnd; size = size % 512 + 1) {
    const bool isPrepared = device->prepareModel(sumModel(size), {}).isOk();
    ++(isPrepared ? shared.compilations : shared.refusals);
  }
}

int runGreedy(const std::string &socket, OverloadState &shared, uint32_t numConnections) {
  const std::string name = need(listDevices(socket)).front();
  std::vector<std::unique_ptr<Greedy>> connections;
  for (uint32_t i = 0; i < numConnections; ++i)
    connections.push_back(std::make_unique<Greedy>(need(connectDevice(socket, name)), shared));
  shared.connections += numConnections;
  ++shared.ready;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { executeForEver(connections.front()->device(), shared); });
  threads.emplace_back([&] { compileForEver(connections.back()->device(), shared); });
  return 0;
}

/// Waits until each greedy process could have done one more piece than at `before`, if they work.
void awaitTurnsOfOthers(const OverloadState &shared, const std::atomic<uint64_t> &greedy, uint64_t before) {
  while (shared.isCrowded && greedy < before + OverloadState::kGreedyProcesses)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// `greedy` counts the same work of the greedy processes.
template <typename Work>
OverloadState::Times timesOf(const OverloadState &shared, const std::atomic<uint64_t> &greedy, Work &&work) {
  std::vector<double> times;
  const uint64_t before = greedy;
  const auto start = Clock::now();
  while (times.size() < 10 || microsecondsSince(start) < kClientSeconds * 1e6) {
    const uint64_t others = greedy;
    const auto begin = Clock::now();
    work(static_cast<uint32_t>(times.size()));
    times.push_back(microsecondsSince(begin) / 1e3);
    awaitTurnsOfOthers(shared, greedy, others);
  }
  const double greedyMs = microsecondsSince(start) / 1e3 / static_cast<double>(std::max<uint64_t>(greedy - before, 1));
  return {percentile(times, 0.5), percentile(times, 0.99), greedyMs};
}

/// Repeats a preparation while no context is free for it.
void prepareOnce(IDevice &device, OverloadState &shared, uint32_t elements) {
  while (true) {
    auto prepared = device.prepareModel(sumModel(elements), {});
    if (prepared)
      return;
    if (prepared.code() != ErrorStatus::ResourceExhaustedTransient)
      giveUp(prepared.error().message);
    ++shared.clientRefusals;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int runClientBeside(const std::string &socket, OverloadState &shared) {
  auto device = need(connectDevice(socket, need(listDevices(socket)).front()));
  Loop loop(*device, OverloadState::kElements);
  for (size_t phase = 0; phase < shared.run.size(); ++phase) {
    while (phase > 0 && !shared.isCrowded)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    shared.run[phase] = timesOf(shared, shared.executions, [&](uint32_t) { needOk(loop.execution->compute({})); });
    shared.prepare[phase] =
        timesOf(shared, shared.compilations, [&](uint32_t i) { prepareOnce(*device, shared, 1000 + i % 500); });
    ++shared.clientPhase;
  }
  return 0;
}

} // namespace

int runOverloadRole(const std::string &role, const std::string &socket, int sharedFile, uint32_t slot) {
  if (::geteuid() == 0 && ::setresuid(kFirstUser + slot, kFirstUser + slot, kFirstUser + slot) != 0)
    giveUp("cannot become another user");
  Mapping mapping;
  OverloadState &shared = attach(mapping, sharedFile);
  if (role == "client")
    return runClientBeside(socket, shared);
  return runGreedy(socket, shared, static_cast<uint32_t>(std::stoul(role)));
}

} // namespace avocet::hal::bench
