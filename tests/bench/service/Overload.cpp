//===- Overload.cpp - One client beside a thousand greedy ones --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overload.h"

#include "BenchSupport.h"
#include "OwnProcess.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace avocet::hal::bench {
namespace {

constexpr double kQueryLimitMs = 100;
/// Small enough that the greedy clients exhaust it.
constexpr const char *kMemory = "512M";

class Scene {
public:
  Scene()
      : scratch_(need(ScratchDirectory::make())), file_(need(createMemoryFile("sharedState", sizeof(OverloadState)))),
        mapping_(need(Mapping::map(file_.get(), sizeof(OverloadState), Mapping::Access::ReadWrite))),
        shared_(*new (mapping_.bytes().data()) OverloadState()), service_(start()) {}
  ~Scene() {
    shared_.isEnd = true;
    greedy_.push_back(client_);
    for (pid_t pid : greedy_) {
      if (pid <= 0)
        continue;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  OverloadState &shared() { return shared_; }
  const std::string &socket() const { return service_.socket(); }

  void startGreedy(uint32_t connections) {
    const uint32_t processes = std::min(connections, OverloadState::kGreedyProcesses);
    for (uint32_t i = 0; i < processes; ++i)
      greedy_.push_back(startRole(std::to_string(connections / processes + (i < connections % processes)), i));
    while (shared_.ready < processes) {
      for (pid_t pid : greedy_)
        if (::waitpid(pid, nullptr, WNOHANG) == pid)
          giveUp("a greedy process ended before the measurement");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void startClient() { client_ = startRole("client", OverloadState::kGreedyProcesses); }

  /// Waits until the client has ended `phases` measurements, and queries the totals meanwhile. Returns the longest
  /// query in ms.
  double awaitClient(uint32_t phases) {
    double longest = 0;
    while (shared_.clientPhase < phases) {
      const auto start = Clock::now();
      (void)need(readTotals(socket()));
      longest = std::max(longest, microsecondsSince(start) / 1e3);
      if (::waitpid(client_, nullptr, WNOHANG) == client_ && shared_.clientPhase < phases)
        giveUp("the client within its share failed");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return longest;
  }

private:
  ServiceProcess start() const {
    (void)::chmod(scratch_.path().c_str(), 0755); // for clients of other users
    return need(
        ServiceProcess::start(programBeside("avocetd"), scratch_.path() + "/socket", {"--max-all-memory", kMemory}));
  }
  pid_t startRole(const std::string &role, uint32_t slot) const {
    return startOwnProcess({"serviceBench", "--overload-role", role, "--slot", std::to_string(slot), "--shared-state",
                            std::to_string(file_.get()), "--socket", socket()},
                           {file_.get()});
  }

  ScratchDirectory scratch_;
  FileDescriptor file_;
  Mapping mapping_;
  OverloadState &shared_;
  ServiceProcess service_;
  std::vector<pid_t> greedy_;
  pid_t client_ = -1;
};

bool printLine(const char *what, const OverloadState::Times &alone, const OverloadState::Times &beside, double fairMs) {
  const double allowed = 2 * alone.medianMs + fairMs;
  const bool isKept = beside.medianMs <= allowed;
  printOut("{:<12} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>8}\n", what, alone.medianMs, beside.medianMs,
           beside.p99Ms, fairMs, allowed, isKept ? "yes" : "NO");
  return isKept;
}

} // namespace

bool measureOverload(const OverloadOptions &options) {
  Scene scene;
  OverloadState &shared = scene.shared();
  scene.startClient();
  const double queryAlone = scene.awaitClient(1);
  scene.startGreedy(options.connections);
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  shared.isCrowded = true;
  const double query = scene.awaitClient(2);
  const ServiceTotals totals = need(readTotals(scene.socket()));
  const double processes = std::min(options.connections, OverloadState::kGreedyProcesses);
  printOut("{} greedy connections ({} clients now), {} refusals, {} of {} of memory in use; client: {} refusals\n\n",
           shared.connections.load(), totals.clientsNow, shared.refusals.load(), totals.devices[0].memoryBytes, kMemory,
           shared.clientRefusals.load());
  printOut("{:<12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "ms", "alone", "beside", "p99", "fair wait", "allowed",
           "kept");
  bool isKept = printLine("execution", shared.run[0], shared.run[1], processes * shared.run[1].greedyMs);
  isKept &= printLine("preparation", shared.prepare[0], shared.prepare[1], processes * shared.prepare[1].greedyMs);
  printOut("{:<12} {:>10.3f} {:>10.3f} {:>10} {:>10} {:>10.3f} {:>8}   (longest)\n", "status", queryAlone, query, "",
           "", kQueryLimitMs, query <= kQueryLimitMs ? "yes" : "NO");
  return isKept && query <= kQueryLimitMs;
}

} // namespace avocet::hal::bench
