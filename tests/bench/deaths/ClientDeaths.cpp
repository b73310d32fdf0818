//===- ClientDeaths.cpp - Time until a dead client is released ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientDeaths.h"

#include "Victim.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/service/Service.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kLongest = 30s; ///< limit for an act to begin, and for a service to release its client

/// The resources of this process.
struct Holdings {
  ServiceCounters service;
  size_t descriptors = 0, threads = 0, mappedFiles = 0;

  bool operator==(const Holdings &other) const {
    auto figures = [](const Holdings &h) {
      const DriverCounters &d = h.service.drivers;
      return std::array{h.service.clientsNow,
                        h.service.objectsNow,
                        h.service.buffersNow,
                        h.service.burstsNow,
                        h.service.descriptorsNow,
                        d.clients,
                        d.preparedModels,
                        d.buffers,
                        d.executions,
                        d.memoryBytes,
                        uint64_t(h.descriptors),
                        uint64_t(h.threads),
                        uint64_t(h.mappedFiles)};
    };
    return figures(*this) == figures(other);
  }
};

size_t countEntries(const char *folder) {
  std::error_code error;
  size_t count = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    ++count;
  return count;
}

size_t countMappedFiles() {
  std::ifstream file("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(file, line);)
    count += line.find("/memfd:") != std::string::npos;
  return count;
}

class Observer {
public:
  explicit Observer(const DeathOptions &options)
      : options_(options), random_(options.seed), scratch_(need(ScratchDirectory::make())),
        never_(::eventfd(0, EFD_CLOEXEC)) {
    DriverOptions driver;
    driver.target = options.target;
    ServedDevice device = need(servedDevice(need(Driver::open(driver))));
    service_ = std::make_unique<Service>(need(Listener::listen(scratch_.path() + "/socket")),
                                         std::vector<ServedDevice>{std::move(device)});
  }

  Deaths measure(const std::string &act, const std::string &what) {
    Deaths deaths{what, {}, {}};
    (void)killOne(act, nullptr); // the first act of a kind starts threads and the like that the service keeps
    std::this_thread::sleep_for(300ms);
    const Holdings before = holdings();
    for (uint32_t round = 0; round < options_.rounds; ++round) {
      const auto [all, kernel] = killOne(act, &before);
      deaths.times.push_back(all);
      deaths.kernel.push_back(kernel);
    }
    return deaths;
  }

private:
  Holdings holdings() const {
    return {service_->counters(), countEntries("/proc/self/fd"), countEntries("/proc/self/task"), countMappedFiles()};
  }

  /// Compares the cheap figures first, because reading /proc takes longer than the release that is measured.
  bool isBack(const Holdings &before) const {
    const ServiceCounters now = service_->counters();
    return now.clientsNow == before.service.clientsNow && now.drivers.clients == before.service.drivers.clients &&
           holdings() == before;
  }

  void awaitReady(pid_t victim, const SharedState &shared) const {
    for (const auto start = Clock::now(); shared.isReady == 0; std::this_thread::sleep_for(1ms))
      if (::waitpid(victim, nullptr, WNOHANG) == victim)
        giveUp("a client ended before it was killed");
      else if (Clock::now() - start > kLongest)
        giveUp("a client has not started in time");
  }

  /// Milliseconds until all figures are those of `before` (null: until the client is gone), and until its descriptors
  /// closed.
  std::pair<double, double> killOne(const std::string &act, const Holdings *before) {
    FileDescriptor memory = need(createMemoryFile("sharedState", sizeof(SharedState)));
    LifeLine life;
    Mapping mapping = need(Mapping::map(memory.get(), sizeof(SharedState), Mapping::Access::ReadWrite));
    const SharedState &shared = *new (mapping.bytes().data()) SharedState();
    const size_t own = 2; // the shared state and the pipe's end
    const pid_t victim =
        startVictim({act, scratch_.path() + "/socket", memory.get(), never_.get(), life.writtenEnd()}, options_);
    life.letGo();
    awaitReady(victim, shared);
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 40000));
    Holdings expected = before ? *before : Holdings();
    expected.descriptors += own;
    expected.mappedFiles += 1;
    const auto start = Clock::now();
    ::kill(victim, SIGKILL);
    const auto result = observe(start, life, before ? &expected : nullptr);
    ::waitpid(victim, nullptr, 0);
    return result;
  }

  std::pair<double, double> observe(Clock::time_point start, const LifeLine &life, const Holdings *expected) const {
    double kernel = 0;
    bool isLate = false;
    while (true) {
      if (kernel == 0 && life.isCut(0))
        kernel = microsecondsSince(start) / 1000;
      const bool isDone = expected ? isBack(*expected) : service_->counters().clientsNow == 0;
      if (isDone && kernel != 0)
        return {microsecondsSince(start) / 1000, kernel};
      if (expected && !isLate && microsecondsSince(start) > 1000 * options_.boundMilliseconds) {
        isLate = true;
        printErr("late: {}\n", describe(expected));
      }
      if (Clock::now() - start > kLongest)
        giveUp("the service does not release the resources of a killed client: " + describe(expected));
      std::this_thread::sleep_for(100us);
    }
  }

  std::string describe(const Holdings *expected) const {
    auto figures = [](const Holdings &h) {
      const DriverCounters &d = h.service.drivers;
      return fmt::format("clients {}/{}, objects {}, bursts {}, descriptors {}/{}, models {}, buffers {}, executions "
                         "{}, memory {}, threads {}, mapped {}",
                         h.service.clientsNow, d.clients, h.service.objectsNow, h.service.burstsNow,
                         h.service.descriptorsNow, h.descriptors, d.preparedModels, d.buffers, d.executions,
                         d.memoryBytes, h.threads, h.mappedFiles);
    };
    return figures(holdings()) + (expected ? "; before: " + figures(*expected) : "");
  }

  const DeathOptions &options_;
  std::mt19937_64 random_;
  const ScratchDirectory scratch_;
  const FileDescriptor never_;
  std::unique_ptr<Service> service_;
};

} // namespace

std::vector<Deaths> measureClientDeaths(const DeathOptions &options) {
  Observer observer(options);
  std::vector<Deaths> all;
  for (const auto &[act, what] : victimActs())
    if (options.isWanted(what))
      all.push_back(observer.measure(act, what));
  return all;
}

} // namespace avocet::hal::bench
