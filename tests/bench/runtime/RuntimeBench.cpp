//===- RuntimeBench.cpp - Cost of the runtime -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   runtimeBench [--rounds N] [--contexts N]
//
// The round trip of a tiny job on the simulated device, run on the caller's thread and on the device's own, in
// alternation. Then the time and the resident memory of a context, before and after it has run a job. Microseconds of
// the host, medians.
//
//===----------------------------------------------------------------------===//

#include "CopyProgram.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/Queue.h"
#include "avocet/runtime/SimBackend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace avocet;
using namespace avocet::runtime;

constexpr uint32_t kBytes = 64;

void need(const Status &status) {
  if (status.isOk())
    return;
  printErr("runtimeBench: {}\n", status.toString());
  std::exit(1);
}

template <typename T> T need(Result<T> result) {
  need(result.status());
  return std::move(result).value();
}

double microsecondsOf(auto &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double medianOf(std::vector<double> &values) {
  std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

uint64_t residentBytes() {
  uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// A context, a queue, and a job that copies a few bytes.
struct Client {
  Client(const std::shared_ptr<Device> &device, const std::shared_ptr<const cache::ModelCache> &model)
      : context(need(Context::create(device))), queue(need(Queue::create(context))) {
    auto data = need(cache::DataCache::fromBytes({}));
    job = need(Job::create(need(Executable::load(context, model, *data))));
    need(job->bindInput(0, need(context->map(need(Buffer::create(device, kBytes)), Access::Read))));
    need(job->bindOutput(0, need(context->map(need(Buffer::create(device, kBytes)), Access::Write))));
  }
  std::shared_ptr<Context> context;
  std::shared_ptr<Queue> queue;
  std::unique_ptr<Job> job;
};

void measureRoundTrips(Client &client, int rounds, std::chrono::microseconds pause) {
  std::vector<double> lent, handed;
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(pause);
    lent.push_back(microsecondsOf([&] { need(client.queue->run(*client.job)); }));
    std::this_thread::sleep_for(pause);
    handed.push_back(microsecondsOf([&] {
      need(client.queue->submit(*client.job));
      client.job->fence()->wait();
    }));
  }
  const double run = medianOf(lent), submitAndWait = medianOf(handed);
  printOut("round trip, one every {} us: on the caller's thread {:.2f}, on the device's {:.2f}, ratio {:.2f}\n",
           pause.count(), run, submitAndWait, submitAndWait / run);
}

void measureContexts(const std::shared_ptr<Device> &device, const std::shared_ptr<const cache::ModelCache> &model,
                     int count) {
  std::vector<std::shared_ptr<Context>> contexts;
  std::vector<double> creations;
  const uint64_t before = residentBytes();
  for (int i = 0; i < count; ++i)
    creations.push_back(microsecondsOf([&] { contexts.push_back(need(Context::create(device))); }));
  const uint64_t empty = residentBytes() - before;
  contexts.clear();
  const uint64_t again = residentBytes();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<Client>(device, model));
    for (int job = 0; job < 100; ++job)
      need(clients.back()->queue->run(*clients.back()->job));
  }
  const uint64_t used = residentBytes() - again;
  std::vector<double> lent;
  for (int round = 0; round < 2000; ++round) {
    Client &client = *clients[static_cast<size_t>(round) % clients.size()];
    lent.push_back(microsecondsOf([&] { need(client.queue->run(*client.job)); }));
  }
  printOut("{} contexts: {:.1f} to create one, {:.1f} KB each; {:.1f} KB with a model that has run 100 times; "
           "round trip among them {:.2f}\n",
           count, medianOf(creations), static_cast<double>(empty) / 1024 / count,
           static_cast<double>(used) / 1024 / count, medianOf(lent));
}

} // namespace

static int runMain(int argc, char **argv) {
  int rounds = 20000, contexts = 200;
  CommandLine app("Overheads of the runtime");
  addNumber(app, "--rounds", rounds, "round trips of each kind", 1, 1'000'000'000);
  addNumber(app, "--contexts", contexts, "contexts to create", 1, 1'000'000);
  return runProgram(app, argc, argv, [&] {
    registerSimBackend();
    BackendOptions options;
    options.target = need(firmware::Target::load("e256"));
    std::shared_ptr<Device> device = need(Device::open("sim", options));
    auto bytes = need(cache::writeModelCache(test::copyModel(*options.target, kBytes)));
    auto model = need(cache::ModelCache::adopt(bytes, "bench"));
    Client client(device, model);
    measureRoundTrips(client, rounds, std::chrono::microseconds(0));
    // Long enough for the device's thread to sleep.
    measureRoundTrips(client, std::max(rounds / 100, 1), std::chrono::milliseconds(5));
    measureContexts(device, model, contexts);
    return 0;
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
