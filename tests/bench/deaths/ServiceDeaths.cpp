//===- ServiceDeaths.cpp - Time until calls report a dead service --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceDeaths.h"

#include "avocet/base/ProgramBeside.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <future>
#include <random>
#include <sys/eventfd.h>
#include <thread>

namespace avocet::hal::bench {
namespace {

using namespace std::chrono_literals;

/// A separate client for each kind of call.
struct Caller {
  const Model &network;
  Workload work;
  std::shared_ptr<IDevice> device;
  std::shared_ptr<IPreparedModel> prepared;
  std::atomic<bool> isReady{false}; ///< at least one call has been made

  Caller(const Model &network, const std::string &socket)
      : network(network), work(network), device(need(connectDevice(socket, need(listDevices(socket)).front()))),
        prepared(need(device->prepareModel(network, {}))) {}
};

/// Calls until a call fails; returns its status.
template <typename Call> ErrorStatus repeat(Caller &caller, Call call) {
  while (true) {
    const ErrorStatus status = call();
    if (status != ErrorStatus::None)
      return status;
    caller.isReady = true;
  }
}

ErrorStatus execute(Caller &caller) {
  return repeat(caller, [&] { return caller.prepared->execute(caller.work.request(), {}).status; });
}

ErrorStatus executeAsynchronously(Caller &caller) {
  return repeat(caller, [&] {
    auto ended = std::make_shared<std::promise<ErrorStatus>>();
    auto answer = ended->get_future();
    (void)caller.prepared->executeAsynchronously(
        caller.work.request(), {}, [ended](const ExecutionOutcome &outcome) { ended->set_value(outcome.status); });
    return answer.get();
  });
}

ErrorStatus executeBurst(Caller &caller) {
  auto burst = need(caller.prepared->configureBurst());
  return repeat(caller, [&] { return burst->execute(caller.work.request(), Workload::identifiers(), {}).status; });
}

ErrorStatus executeReusable(Caller &caller) {
  auto execution = need(caller.prepared->createReusableExecution(caller.work.request(), {}));
  return repeat(caller, [&] { return execution->compute({}).status; });
}

ErrorStatus waitForFence(Caller &caller) {
  auto never = std::make_shared<const FileDescriptor>(FileDescriptor(::eventfd(0, EFD_CLOEXEC)));
  FencedLaunch launch =
      need(caller.prepared->executeFenced(caller.work.request(), {need(SyncFence::adopt(never))}, {}));
  caller.isReady = true;
  if (launch.fence.wait(std::nullopt) != FenceState::Error)
    giveUp("a fence of a dead service signaled");
  return launch.info->executionInfo().code();
}

ErrorStatus prepare(Caller &caller) {
  return repeat(caller, [&] { return caller.device->prepareModel(caller.network, {}).code(); });
}

ErrorStatus copyTo(Caller &caller) {
  constexpr uint32_t kElements = 128 << 10;
  auto sum = need(caller.device->prepareModel(sumModel(kElements), {}));
  auto buffer = need(caller.device->allocate({}, {{sum, 0, 1}}, {}));
  BenchPool pool(kElements * sizeof(float));
  if (Outcome filled = buffer->copyFrom(pool.memory(), {}); !filled)
    giveUp(filled.error().message);
  return repeat(caller, [&] { return buffer->copyTo(pool.memory()).code(); });
}

struct Kind {
  const char *what;
  ErrorStatus (*call)(Caller &);
};

constexpr Kind kKinds[] = {
    {"plain execution", execute},
    {"asynchronous execution (its callback)", executeAsynchronously},
    {"1.2 burst execution", executeBurst},
    {"reusable execution", executeReusable},
    {"waiting for a fenced execution's fence", waitForFence},
    {"prepareModel", prepare},
    {"copyTo of 512 KiB", copyTo},
};

/// One call in a thread.
struct Running {
  Caller caller;
  std::future<Clock::time_point> end;

  Running(const Kind &kind, const Model &network, const std::string &socket)
      : caller(network, socket), end(std::async(std::launch::async, [this, &kind] {
          const ErrorStatus status = kind.call(caller);
          const auto now = Clock::now();
          if (status != ErrorStatus::DeadObject)
            giveUp(fmt::format("{}: {} in place of DEAD_OBJECT", kind.what, toString(status)));
          return now;
        })) {}
};

void killOne(const DeathOptions &options, const Model &network, const std::string &socket,
             std::chrono::microseconds delay, std::span<const Kind> kinds, std::vector<Deaths> &deaths) {
  LifeLine life;
  (void)::fcntl(life.writtenEnd(), F_SETFD, 0); // inherited by the service
  ServiceProcess service = need(ServiceProcess::start(programBeside("avocetd"), socket, {"--target", options.target}));
  life.letGo();
  std::vector<std::unique_ptr<Running>> running;
  for (const Kind &kind : kinds)
    running.push_back(std::make_unique<Running>(kind, network, socket));
  for (const auto &one : running)
    while (!one->caller.isReady)
      std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(delay);
  const auto start = Clock::now();
  ::kill(service.pid(), SIGKILL);
  if (!life.isCut(30000))
    giveUp("the service does not end");
  const double kernel = microsecondsSince(start) / 1000;
  for (size_t i = 0; i < running.size(); ++i) {
    if (running[i]->end.wait_for(30s) != std::future_status::ready)
      giveUp(deaths[i].what + ": does not answer");
    deaths[i].times.push_back(std::chrono::duration<double, std::milli>(running[i]->end.get() - start).count());
    deaths[i].kernel.push_back(kernel);
  }
}

} // namespace

std::vector<Deaths> measureServiceDeaths(const DeathOptions &options) {
  std::vector<Deaths> deaths;
  std::vector<Kind> kinds;
  for (const Kind &kind : kKinds)
    if (options.isWanted(kind.what)) {
      kinds.push_back(kind);
      deaths.push_back({kind.what, {}, {}});
    }
  auto scratch = need(ScratchDirectory::make());
  const Model network = networkOf(options);
  std::mt19937_64 random(options.seed);
  for (uint32_t round = 0; !kinds.empty() && round < options.rounds; ++round)
    killOne(options, network, scratch.path() + "/socket", std::chrono::microseconds(random() % 40000), kinds, deaths);
  return deaths;
}

} // namespace avocet::hal::bench
