//===- ServiceBench.cpp - Throughput and fairness of the service ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   serviceBench [--seconds S] [--elements N] [--clients 1,2,4,8,16]
//   serviceBench --overload [--connections 1000]        see Overload.h
//
// One avocetd and 1 to 16 client processes, each of which runs a tiny model repeatedly through a reusable execution.
// All begin and end at the same time; the figures are the runs completed in between. For comparison, the same run
// measures one thread in process, without a service. There is one simulated device, which bounds the throughput of any
// number of clients; the machine's cores bound the rest.
//
//===----------------------------------------------------------------------===//

#include "Loop.h"
#include "Overload.h"
#include "OwnProcess.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

struct Options {
  double seconds = 2;
  uint32_t elements = 16;
  std::vector<uint32_t> clients = {1, 2, 4, 8, 16};
  std::string target = "e256";
  bool isOverload = false;
  OverloadOptions overload;
  std::string role; ///< of a child process in the overload scenario
  bool isClient = false;
  int shared = -1;
  uint32_t slot = 0;
  std::string socket;
};

/// Shared by all processes of one round.
struct SharedState {
  static constexpr size_t kMaxClients = 256;
  std::atomic<uint32_t> ready{0};
  std::atomic<bool> isGo{false}, isEnd{false};
  std::array<std::atomic<uint64_t>, kMaxClients> runs{};
};

SharedState &attach(Mapping &mapping, int descriptor) {
  mapping = need(Mapping::map(descriptor, sizeof(SharedState), Mapping::Access::ReadWrite));
  return *reinterpret_cast<SharedState *>(mapping.bytes().data());
}

int runClient(const Options &options) {
  Mapping mapping;
  SharedState &shared = attach(mapping, options.shared);
  auto device = need(connectDevice(options.socket, need(listDevices(options.socket)).front()));
  Loop loop(*device, options.elements);
  ++shared.ready;
  while (!shared.isGo)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (!shared.isEnd) {
    needOk(loop.execution->compute({}));
    shared.runs[options.slot].fetch_add(1, std::memory_order_relaxed);
  }
  return 0;
}

pid_t startClient(const Options &options, const std::string &socket, int shared, uint32_t slot) {
  return startOwnProcess({"serviceBench", "--client", "--shared-state", std::to_string(shared), "--slot",
                          std::to_string(slot), "--elements", std::to_string(options.elements), "--socket", socket},
                         {shared});
}

/// Completed runs of each client in one round.
std::vector<double> runRound(const Options &options, const std::string &socket, uint32_t clients) {
  FileDescriptor file = need(createMemoryFile("sharedState", sizeof(SharedState)));
  Mapping mapping;
  (void)attach(mapping, file.get());
  SharedState &shared = *new (mapping.bytes().data()) SharedState();
  std::vector<pid_t> pids;
  for (uint32_t i = 0; i < clients; ++i)
    pids.push_back(startClient(options, socket, file.get(), i));
  while (shared.ready < clients) {
    for (pid_t pid : pids)
      if (::waitpid(pid, nullptr, WNOHANG) == pid)
        giveUp("a client ended before the round began");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  shared.isGo = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  std::vector<double> runs;
  for (uint32_t i = 0; i < clients; ++i)
    runs.push_back(static_cast<double>(shared.runs[i]));
  shared.isEnd = true;
  for (pid_t pid : pids)
    ::waitpid(pid, nullptr, 0);
  return runs;
}

/// Jain's fairness index: 1 if all shares are equal, 1/n if one client got everything.
double jainIndex(const std::vector<double> &shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  double squares = 0;
  for (double share : shares)
    squares += share * share;
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

double runsPerSecondInProcess(const Options &options) {
  DriverOptions driver;
  driver.target = options.target;
  auto device = need(openDevice(driver));
  Loop loop(*device, options.elements);
  const auto start = Clock::now();
  uint64_t runs = 0;
  for (; microsecondsSince(start) < options.seconds * 1e6; ++runs)
    needOk(loop.execution->compute({}));
  return static_cast<double>(runs) / (microsecondsSince(start) / 1e6);
}

void measure(const Options &options) {
  ScratchDirectory scratch = need(ScratchDirectory::make());
  const double alone = runsPerSecondInProcess(options);
  ServiceProcess service =
      need(ServiceProcess::start(programBeside("avocetd"), scratch.path() + "/socket", {"--target", options.target}));
  printOut("sum of {} floats, reusable execution, {} cores; in process, one thread: {:.0f} runs/s\n\n",
           options.elements, std::thread::hardware_concurrency(), alone);
  printOut("{:>7} {:>9} {:>11} {:>12} {:>7} {:>8}\n", "clients", "runs/s", "of 1 client", "of in process", "Jain",
           "min/max");
  double one = 0;
  for (uint32_t clients : options.clients) {
    std::vector<double> runs = runRound(options, service.socket(), clients);
    const double rate = std::accumulate(runs.begin(), runs.end(), 0.0) / options.seconds;
    one = one == 0 ? rate : one;
    const auto [least, most] = std::ranges::minmax(runs);
    printOut("{:>7} {:>9.0f} {:>10.2f}x {:>11.2f}x {:>7.3f} {:>8.2f}\n", clients, rate, rate / one, rate / alone,
             jainIndex(runs), most == 0 ? 0 : least / most);
  }
}

} // namespace
} // namespace avocet::hal::bench

static int runMain(int argc, char **argv) {
  using namespace avocet::hal::bench;
  Options options;
  avocet::CommandLine app("Throughput of the driver service with 1 to 16 clients, and fairness among them");
  avocet::addNumber(app, "--seconds", options.seconds, "duration of each round in seconds", 0.001, 1e6).showDefault();
  avocet::addNumber(app, "--elements", options.elements, "floats of the model's tensors", 1, 1'000'000).showDefault();
  avocet::addNumber(app, "--clients", options.clients, "numbers of clients, for example 1,4,16", 1,
                    SharedState::kMaxClients)
      .delimiter(',');
  app.addText("--target", options.target, "device").showDefault();
  app.addFlag("--overload", options.isOverload, "measure a client within its quotas next to many that use up theirs");
  avocet::addNumber(app, "--connections", options.overload.connections,
                    "connections of the other clients with --overload", 1, 1000)
      .showDefault();
  app.addText("--overload-role", options.role).group("");
  app.addFlag("--client", options.isClient).group("");
  avocet::addNumber(app, "--shared-state", options.shared, "").group("");
  avocet::addNumber(app, "--slot", options.slot, "").group("");
  app.addText("--socket", options.socket).group("");
  return avocet::runProgram(app, argc, argv, [&] {
    if (options.isClient)
      return runClient(options);
    if (!options.role.empty())
      return runOverloadRole(options.role, options.socket, options.shared, options.slot);
    options.overload.seconds = options.seconds;
    if (options.isOverload)
      return measureOverload(options.overload) ? 0 : 1;
    measure(options);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
