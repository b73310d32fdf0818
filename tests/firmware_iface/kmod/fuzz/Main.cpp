//===- Main.cpp - Random calls of the kernel driver -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes make random calls until the time is over. What they find is in the kernel's log (scripts/kernelGuest fails
// then); the program itself fails if a process cannot be killed, or if a call never succeeded.
//
//===----------------------------------------------------------------------===//

#include "AllocationFaults.h"
#include "Calls.h"
#include "Episode.h"
#include "Profile.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <sstream>
#include <thread>

namespace avocet::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kMostForEpisode{10}, kMostForDeath{60};
constexpr std::chrono::milliseconds kPause{2};
constexpr uint64_t kAllEpisodes = std::numeric_limits<uint64_t>::max();

struct Options {
  std::string node = "/dev/accel/accel0";
  double seconds = 10;
  double rebindSeconds = 0;
  uint64_t seed = 1;
  uint32_t processes = 3;
  uint64_t episode = kAllEpisodes;
  bool requireAll = false;
  bool failsAllocations = false;
};

Counters *shareCounters() {
  void *memory = ::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) Counters{};
}

/// The processes that run, and the ends that they must reach.
class Runner {
public:
  Runner(const Options &options, Counters &counters) : options_(options), counters_(counters) {}

  void start() {
    const uint64_t number = options_.episode == kAllEpisodes ? started_ : options_.episode;
    ++started_;
    const pid_t process = ::fork();
    if (process == 0)
      runEpisode(options_.node.c_str(), programs_, counters_, options_.failsAllocations,
                 Random(options_.seed ^ number << 32).next());
    if (process > 0)
      running_[process] = {Clock::now() + kMostForEpisode, number, false};
  }

  /// Forgets processes that have ended, kills those that are late, and fails if one does not die.
  Status check() {
    for (pid_t process; (process = ::waitpid(-1, nullptr, WNOHANG)) > 0;)
      running_.erase(process);
    for (auto &[process, state] : running_) {
      if (Clock::now() < state.limit)
        continue;
      if (state.isKilled)
        return internalError(fmt::format("episode {} did not end {} s after SIGKILL:\n{}", state.number,
                                         kMostForDeath.count(), stackOf(process)));
      ::kill(process, SIGKILL);
      ++killed_;
      state.isKilled = true;
      state.limit = Clock::now() + kMostForDeath;
    }
    return Status::ok();
  }

  Status end() {
    for (auto &[process, state] : running_)
      state.limit = Clock::now();
    while (!running_.empty()) {
      AVOCET_RETURN_IF_ERROR(check());
      std::this_thread::sleep_for(kPause);
    }
    return Status::ok();
  }

  size_t running() const { return running_.size(); }
  uint64_t started() const { return started_; }
  uint64_t killed() const { return killed_; }

private:
  struct State {
    Clock::time_point limit;
    uint64_t number = 0;
    bool isKilled = false;
  };

  static std::string stackOf(pid_t process) {
    std::ostringstream text;
    std::error_code error;
    for (const auto &thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), error))
      text << std::ifstream(thread.path() / "stack").rdbuf() << '\n';
    return text.str();
  }

  const Options &options_;
  Counters &counters_;
  const Programs programs_ = encodePrograms();
  std::map<pid_t, State> running_;
  uint64_t started_ = 0, killed_ = 0;
};

/// Takes the device from its driver while processes use it, and gives it back.
Status rebind() {
  const std::filesystem::path driver = "/sys/bus/pci/drivers/avocet-ivshmem";
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(driver, error)) {
    const std::string name = entry.path().filename();
    if (!std::isdigit(static_cast<unsigned char>(name.front())))
      continue;
    std::ofstream(driver / "unbind") << name << std::flush;
    std::ofstream bind(driver / "bind");
    bind << name << std::flush;
    return bind.good() ? Status::ok() : failedPrecondition("the driver does not take the device again");
  }
  return failedPrecondition("no device is bound to the driver");
}

/// The names of calls that have never succeeded.
std::string missingCalls(const Counters &counters) {
  size_t number = 0;
  std::string missing;
  for (const std::span<const Call> calls : {driverCalls(), otherCalls()})
    for (const Call &call : calls)
      if (counters.successes[number++] == 0 && !call.isOptional)
        missing += fmt::format(" {}", call.name);
  return missing;
}

Status report(const Counters &counters, bool requireAll) {
  uint64_t attempts = 0, successes = 0;
  size_t number = 0;
  for (const std::span<const Call> calls : {driverCalls(), otherCalls()})
    for (const Call &call : calls) {
      const uint64_t tried = counters.attempts[number], done = counters.successes[number];
      ++number;
      attempts += tried;
      successes += done;
      printOut("{:<22} {:>9} calls {:>9} succeeded\n", call.name, tried, done);
    }
  printOut("{:<22} {:>9} calls {:>9} succeeded\n", "all", attempts, successes);
  const std::string missing = missingCalls(counters);
  return requireAll && !missing.empty() ? failedPrecondition("calls that never succeeded:" + missing) : Status::ok();
}

Status fuzz(const Options &options) {
  Counters *counters = shareCounters();
  if (!counters)
    return resourceExhausted("no memory for the counters");
  if (options.failsAllocations)
    AVOCET_RETURN_IF_ERROR(permitAllocationFaults());
  Profile profile;
  Runner runner(options, *counters);
  const bool isOne = options.episode != kAllEpisodes;
  const Clock::time_point begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(options.seconds);
  const std::chrono::duration<double> interval(options.rebindSeconds);
  auto nextRebind = begin + interval;
  // A busy host makes few calls in the time that was asked for.
  const auto lastEnd = begin + (options.requireAll ? 10 : 1) * std::chrono::duration<double>(options.seconds);
  while (Clock::now() < end || (Clock::now() < lastEnd && !missingCalls(*counters).empty())) {
    while (runner.running() < options.processes && !(isOne && runner.started() > 0))
      runner.start();
    if (isOne && runner.running() == 0)
      break;
    if (options.rebindSeconds > 0 && Clock::now() >= nextRebind) {
      AVOCET_RETURN_IF_ERROR(rebind());
      nextRebind += std::chrono::duration_cast<Clock::duration>(interval);
    }
    AVOCET_RETURN_IF_ERROR(runner.check());
    std::this_thread::sleep_for(kPause);
  }
  AVOCET_RETURN_IF_ERROR(runner.end());
  printOut("seed {}: {} episodes in {:.0f} s, {} killed because they were late\n", options.seed, runner.started(),
           std::chrono::duration<double>(Clock::now() - begin).count(), runner.killed());
  if (options.failsAllocations)
    printOut("{} allocations failed\n", counters->failedAllocations.load());
  printOut("{}", profile.report());
  return report(*counters, options.requireAll);
}

} // namespace
} // namespace avocet::fuzz

static int runMain(int argc, char **argv) {
  avocet::CommandLine line("Makes random calls of the kernel driver, in a virtual machine (scripts/kernelGuest).");
  avocet::fuzz::Options options;
  line.addText("--node", options.node, "device").showDefault();
  avocet::addNumber(line, "--seconds", options.seconds, "length of the run", 0.1, 1e6).showDefault();
  avocet::addNumber(line, "--seed", options.seed, "of all choices").showDefault();
  avocet::addNumber(line, "--processes", options.processes, "at one time", 1, 64).showDefault();
  avocet::addNumber(line, "--episode", options.episode, "run only the episode of this number, in one process");
  avocet::addNumber(line, "--rebind", options.rebindSeconds, "take the device from the driver so often, seconds", 0.0,
                    1e6);
  line.addFlag("--fail-allocations", options.failsAllocations,
               "let an allocation of the kernel fail in half of the calls");
  line.addFlag("--require-all", options.requireAll,
               "go on for ten times as long until each call has succeeded, and fail if one has not");
  return avocet::runProgram(line, argc, argv, [&] { return avocet::fuzz::fuzz(options); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
