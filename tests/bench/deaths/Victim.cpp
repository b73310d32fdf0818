//===- Victim.cpp - A client process that will be killed ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Victim.h"

#include "OwnProcess.h"
#include "avocet/hal/ipc/Client.h"

#include <future>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

/// One client with a prepared network.
struct Stage {
  const Model network;
  Workload work;
  std::shared_ptr<IDevice> device;
  std::shared_ptr<IPreparedModel> prepared;
  SyncFence never; ///< a fence that is never signaled
  std::function<void()> ready;
};

void runPlain(Stage &stage) {
  while (true) {
    needOk(stage.prepared->execute(stage.work.request(), {}));
    stage.ready();
  }
}

/// Holds one object of each kind, and does nothing.
void beIdle(Stage &stage) {
  auto burst = need(stage.prepared->configureBurst());
  auto buffer = need(stage.device->allocate({}, {{stage.prepared, 0, 1}}, {}));
  auto execution = need(stage.prepared->createReusableExecution(stage.work.request(), {}));
  needOk(burst->execute(stage.work.request(), Workload::identifiers(), {}));
  stage.ready();
  while (true)
    ::pause();
}

void runBurst(Stage &stage) {
  auto burst = need(stage.prepared->configureBurst());
  while (true) {
    needOk(burst->execute(stage.work.request(), Workload::identifiers(), {}));
    stage.ready();
  }
}

/// Keeps as many executions in flight as the service allows, at any time.
void runAsynchronously(Stage &stage) {
  constexpr int kInFlight = 16;
  std::vector<std::future<ErrorStatus>> runs(kInFlight);
  for (size_t i = 0;; i = (i + 1) % kInFlight) {
    if (runs[i].valid() && runs[i].get() != ErrorStatus::None)
      giveUp("an asynchronous execution failed");
    auto ended = std::make_shared<std::promise<ErrorStatus>>();
    runs[i] = ended->get_future();
    auto callback = [ended](const ExecutionOutcome &outcome) { ended->set_value(outcome.status); };
    if (stage.prepared->executeAsynchronously(stage.work.request(), {}, callback) != ErrorStatus::None)
      giveUp("an asynchronous execution was refused");
    if (i + 1 == kInFlight)
      stage.ready();
  }
}

std::vector<FencedLaunch> launchChain(Stage &stage, SyncFence first, int length) {
  std::vector<FencedLaunch> chain;
  for (int i = 0; i < length; ++i) {
    chain.push_back(need(stage.prepared->executeFenced(stage.work.request(), {first}, {})));
    first = chain.back().fence;
  }
  return chain;
}

/// Fenced executions that end only with their client.
void waitForFences(Stage &stage) {
  std::vector<FencedLaunch> chain = launchChain(stage, stage.never, 8);
  stage.ready();
  (void)chain.back().fence.wait(std::nullopt);
  giveUp("a fence that is never signaled ended");
}

void runFenced(Stage &stage) {
  while (true) {
    std::vector<FencedLaunch> chain = launchChain(stage, {}, 8);
    stage.ready();
    if (chain.back().fence.wait(std::nullopt) != FenceState::Signaled)
      giveUp("a fenced execution failed");
  }
}

void compile(Stage &stage) {
  while (true) {
    (void)need(stage.device->prepareModel(stage.network, {}));
    stage.ready();
  }
}

void askForSupport(Stage &stage) {
  while (true) {
    (void)need(stage.device->getSupportedOperations(stage.network));
    stage.ready();
  }
}

struct Act {
  const char *name, *what;
  void (*play)(Stage &);
};

constexpr Act kActs[] = {
    {"idle", "idle, with a model, a burst, a buffer", beIdle},
    {"execution", "in a plain execution", runPlain},
    {"asynchronous", "16 asynchronous executions", runAsynchronously},
    {"burst", "in the middle of a 1.2 burst", runBurst},
    {"waiting", "8 fenced executions that wait", waitForFences},
    {"fenced", "8 fenced executions that run", runFenced},
    {"compiling", "in prepareModel", compile},
    {"asking", "in getSupportedOperations", askForSupport},
};

} // namespace

std::vector<std::pair<std::string, std::string>> victimActs() {
  std::vector<std::pair<std::string, std::string>> acts;
  for (const Act &act : kActs)
    acts.emplace_back(act.name, act.what);
  return acts;
}

void playVictim(const VictimOptions &victim, const DeathOptions &options) {
  Mapping mapping = need(Mapping::map(victim.shared, sizeof(SharedState), Mapping::Access::ReadWrite));
  auto &shared = *reinterpret_cast<SharedState *>(mapping.bytes().data());
  Model network = networkOf(options);
  Workload work(network);
  auto device = need(connectDevice(victim.socket, need(listDevices(victim.socket)).front()));
  auto prepared = need(device->prepareModel(network, {}));
  auto fence = std::make_shared<const FileDescriptor>(FileDescriptor(victim.fence));
  Stage stage{std::move(network),
              std::move(work),
              std::move(device),
              std::move(prepared),
              need(SyncFence::adopt(fence)),
              [&] { shared.isReady = 1; }};
  needOk(stage.prepared->execute(stage.work.request(), {}));
  for (const Act &act : kActs)
    if (victim.act == act.name)
      act.play(stage);
  giveUp(victim.act + ": there is no such act");
}

pid_t startVictim(const VictimOptions &victim, const DeathOptions &options) {
  return startOwnProcess({"deathsBench", "--act", victim.act, "--socket", victim.socket, "--shared-state",
                          std::to_string(victim.shared), "--fence", std::to_string(victim.fence), "--life",
                          std::to_string(victim.life), "--model", options.model},
                         {victim.shared, victim.fence, victim.life});
}

} // namespace avocet::hal::bench
