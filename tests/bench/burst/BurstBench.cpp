//===- BurstBench.cpp - Round trips of a tiny execution -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   burstBench [--target NAME] [--rounds N] [--runs N] [--window MICROSECONDS] [--busy N] [--only NAME]
//
// An execution of the sum of two floats on every way to the device, next to bare ping-pongs between two processes and
// to the job alone. All alternate in rounds. Each round gives a median; the report shows the least (a quiet machine)
// and the median over all rounds. The service is another process. All is measured on one processor, on two, and with
// the kernel's own placement of the threads, beside N other processes that compute all the time. Two ratios are the
// result: a burst less the device's time over the futex ping-pong, and a plain call over a burst.
//
//===----------------------------------------------------------------------===//

#include "SmallModels.h"
#include "Variant.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/service/Service.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sched.h>
#include <span>
#include <sys/prctl.h>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

struct Options {
  std::string target = "e256";
  int rounds = 30;
  int runs = 200;
  int windowMicroseconds = 50;
  int busy = 0;
  std::string only; ///< runs only this one, for profiles; no report
};

/// A service that polls `window` for requests of bursts before it sleeps. Forks.
pid_t startService(const std::string &path, const Options &options, Duration window) {
  if (pid_t child = ::fork(); child != 0)
    return child > 0 ? child : (fail("cannot fork"), 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  DriverOptions driver;
  driver.target = options.target;
  Quotas quotas;
  quotas.bursts.pollingWindow = window;
  std::vector<ServedDevice> devices = {need(servedDevice(need(Driver::open(driver))))};
  Service service(need(Listener::listen(path)), std::move(devices), quotas);
  while (true)
    ::pause();
}

/// A process that computes all the time. Forks.
void startWork() {
  if (::fork() != 0)
    return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (std::atomic<uint64_t> count = 0;; ++count)
    ;
}

std::shared_ptr<IDevice> connectWhenReady(const std::string &path, const ConnectOptions &options) {
  for (int attempt = 0; attempt < 500; ++attempt) {
    if (Result<std::vector<std::string>> names = listDevices(path); names && !names->empty())
      return need(connectDevice(path, names->front(), options));
    ::usleep(20000);
  }
  fail("the service does not start");
}

/// A request with its own pools, sent repeatedly.
struct Sum {
  explicit Sum(const std::shared_ptr<IDevice> &device) : model(need(device->prepareModel(testing::addModel({2}), {}))) {
    for (int i = 0; i < 4; ++i)
      inputs.as<float>()[i] = static_cast<float>(i);
  }
  void check(const ExecutionOutcome &outcome) {
    if (!outcome.isOk())
      fail(outcome.message);
    if (outputs.as<float>()[0] != 2 || outputs.as<float>()[1] != 4)
      fail("a wrong result");
  }

  testing::TestPool inputs{64}, outputs{64};
  Request request = testing::requestOf({8, 8}, {8}, inputs, outputs);
  std::shared_ptr<IPreparedModel> model;
};

Variant plain(const char *name, const std::shared_ptr<IDevice> &device) {
  auto sum = std::make_shared<Sum>(device);
  return {name, [sum] { sum->check(sum->model->execute(sum->request, {})); }};
}

Variant reusable(const char *name, const std::shared_ptr<IDevice> &device) {
  auto sum = std::make_shared<Sum>(device);
  std::shared_ptr<IExecution> execution = need(sum->model->createReusableExecution(sum->request, {}));
  return {name, [sum, execution] { sum->check(execution->compute({})); }};
}

Variant burst(const char *name, const std::shared_ptr<IDevice> &device) {
  auto sum = std::make_shared<Sum>(device);
  std::shared_ptr<IBurst> burst = need(sum->model->configureBurst());
  return {name, [sum, burst] { sum->check(burst->execute(sum->request, {0, 1}, {})); }};
}

double medianOf(std::vector<double> values) {
  auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double roundOf(const Variant &variant, int runs) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    variant.once();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  return medianOf(std::move(times));
}

void report(const std::vector<Variant> &variants, const char *title) {
  auto least = [&](size_t i) { return std::ranges::min(variants[i].roundMedians); };
  auto median = [&](size_t i) { return medianOf(variants[i].roundMedians); };
  printOut("{:<40} {:>9} {:>9} {:>16} {:>18}\n", fmt::format("round trip (us), {}", title), "least", "median",
           "less device", "over futex");
  for (size_t i = 0; i < variants.size(); ++i)
    printOut("{:<40} {:>9.1f} {:>9.1f} {:>16.1f} {:>8.2f}x {:>7.2f}x\n", variants[i].name, least(i), median(i),
             least(i) - least(2), (least(i) - least(2)) / least(0), (median(i) - median(2)) / median(0));
  size_t plainCall = variants.size() - 1;
  printOut("plain call over\n");
  for (size_t i = 3; i < plainCall; ++i)
    printOut("  {:<38} {:>8.2f}x {:>7.2f}x\n", variants[i].name, least(plainCall) / least(i),
             median(plainCall) / median(i));
  printOut("\n");
}

void alternate(std::vector<Variant> &variants, const Options &options) {
  for (Variant &variant : variants)
    variant.roundMedians.clear();
  for (int round = 0; round < options.rounds; ++round)
    for (Variant &variant : variants)
      if (options.only.empty() || variant.name == options.only)
        variant.roundMedians.push_back(roundOf(variant, options.runs));
}

std::vector<int> availableProcessors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    fail("cannot ask for processors");
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set))
      processors.push_back(i);
  return processors;
}

/// Pins all threads of a process; threads that they start later inherit the mask.
void placeOn(pid_t process, std::span<const int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors)
    CPU_SET(processor, &set);
  for (const auto &thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process)))
    ::sched_setaffinity(std::stoi(thread.path().filename()), sizeof(set), &set);
}

void measureOn(const char *title, std::span<const int> own, std::span<const int> others, std::vector<Variant> &variants,
               const std::vector<pid_t> &peers, const Options &options) {
  placeOn(::getpid(), own);
  for (pid_t peer : peers)
    placeOn(peer, others);
  alternate(variants, options);
  if (options.only.empty())
    report(variants, title);
}

void measure(const Options &options) {
  std::string pattern = std::filesystem::temp_directory_path() / "avocetBurstBenchXXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    fail("cannot make a folder");
  const std::string blocking = pattern + "/blocking", polling = pattern + "/polling";
  const Duration window = std::chrono::microseconds(options.windowMicroseconds);
  std::vector<Variant> variants = {futexPingPong(), socketPingPong()};
  std::vector<pid_t> peers = {variants[0].peer, variants[1].peer, startService(blocking, options, Duration::zero()),
                              startService(polling, options, window)};

  variants.push_back(deviceAlone(options.target));
  DriverOptions driver;
  driver.target = options.target;
  std::shared_ptr<IDevice> local = need(openDevice(driver));
  variants.push_back(plain("execution, in process", local));
  variants.push_back(reusable("reusable execution, in process", local));
  variants.push_back(burst("AIDL burst, in process", local));
  ConnectOptions sleeping, awake, calls;
  sleeping.queues.pollingWindow = Duration::zero();
  awake.queues.pollingWindow = window;
  calls.burst = BurstKind::Calls;
  variants.push_back(burst("1.2 burst, blocking", connectWhenReady(blocking, sleeping)));
  variants.push_back(burst("1.2 burst, polling", connectWhenReady(polling, awake)));
  variants.push_back(burst("AIDL burst through the socket", connectWhenReady(blocking, calls)));
  variants.push_back(reusable("reusable execution through the socket", connectWhenReady(blocking, calls)));
  variants.push_back(plain("plain call through the socket", connectWhenReady(blocking, calls)));
  for (int i = 0; i < options.busy; ++i)
    startWork();
  const std::vector<int> all = availableProcessors();
  const std::span<const int> every = all, first = every.first(1), last = every.last(1);
  measureOn("one processor", first, first, variants, peers, options);
  if (all.size() > 1) {
    measureOn("two processors", first, last, variants, peers, options);
    measureOn("placed by the kernel", every, every, variants, peers, options);
  }
  std::filesystem::remove_all(pattern);
}

} // namespace
} // namespace avocet::hal::bench

static int runMain(int argc, char **argv) {
  avocet::hal::bench::Options options;
  avocet::CommandLine app("Round trip time of a tiny execution for every kind of call.");
  app.addText("--target", options.target, "target of the devices").showDefault();
  avocet::addNumber(app, "--rounds", options.rounds, "rounds of each kind of call", 1, 100'000).showDefault();
  avocet::addNumber(app, "--runs", options.runs, "executions in a round", 1, 1'000'000).showDefault();
  avocet::addNumber(app, "--window", options.windowMicroseconds, "polling window in microseconds", 1, 1'000'000)
      .showDefault();
  avocet::addNumber(app, "--busy", options.busy, "processes that compute at the same time", 0, 64).showDefault();
  app.addText("--only", options.only, "run only this kind, without a report (for a profiler)");
  return avocet::runProgram(app, argc, argv, [&] {
    avocet::hal::bench::measure(options);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
