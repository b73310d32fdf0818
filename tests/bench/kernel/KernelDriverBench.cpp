//===- KernelDriverBench.cpp - Cost of the kernel driver -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scripts/kernelGuest -- build/release/bin/kernelDriverBench [--rounds N]
//
// A job that copies 64 bytes, from the call to its end as it is seen by poll() on its sync_file and by the runtime's
// fence, with the simulator in the process beside it. Then jobs per second with several in the queue, and single calls
// of the driver. Microseconds of the host: least, median.
//
//===----------------------------------------------------------------------===//

#include "CopyRig.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/runtime/KernelBackend.h"

#include <fmt/format.h>
#include <poll.h>

namespace {

using namespace avocet;
using namespace avocet::runtime;
using namespace avocet::runtime::test;

using Clock = std::chrono::steady_clock;

void need(const Status &status) {
  if (status.isOk())
    return;
  printErr("kernelDriverBench: {}\n", status.toString());
  std::exit(1);
}

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Sample {
  std::vector<double> times;
  template <typename Work> void add(Work &&work) {
    const auto start = Clock::now();
    work();
    times.push_back(microsecondsSince(start));
  }
  void print(std::string_view what) {
    std::ranges::sort(times);
    printOut("{:<58} {:>9.1f} {:>9.1f}\n", what, times.front(), times[times.size() / 2]);
  }
};

void submit(CopyClient &client, CopyJob &job, FileDescriptor *end) {
  SubmitOptions options;
  options.endFile = end;
  need(client.queue->submit(*job.job, options));
}

/// One job at a time; also the part that the device counts as its own.
void measureRoundTrips(const std::shared_ptr<Device> &device, int rounds) {
  CopyClient client(device);
  CopyJob job = client.makeJob();
  job.fill(1);
  Sample calls, polled, fenced;
  for (int round = 0; round < rounds; ++round) {
    FileDescriptor end;
    const auto start = Clock::now();
    calls.add([&] { submit(client, job, &end); });
    pollfd entry{end.get(), POLLIN, 0};
    if (::poll(&entry, 1, -1) == 1)
      polled.times.push_back(microsecondsSince(start));
    job.job->fence()->wait();
    fenced.times.push_back(microsecondsSince(start));
  }
  calls.print("submission: the call");
  polled.print("  until poll() on the sync_file returns");
  fenced.print("  until the runtime's fence signals");
  const JobOutcome outcome = job.job->fence()->outcome();
  const double cycles = static_cast<double>(outcome.endCycle - outcome.startCycle);
  const auto clock = static_cast<double>(device->target().clockHz());
  printOut("{:<58} {:>9.2f}\n", fmt::format("  of it on the device: {} cycles", cycles), cycles / clock * 1e6);
}

void measureRun(const std::shared_ptr<Device> &device, int rounds, std::string_view what) {
  CopyClient client(device);
  CopyJob job = client.makeJob();
  job.fill(2);
  Sample runs;
  for (int round = 0; round < rounds; ++round)
    runs.add([&] { need(client.queue->run(*job.job)); });
  runs.print(what);
}

void measureRate(const std::shared_ptr<Device> &device, int rounds, size_t depth) {
  CopyClient client(device);
  std::vector<CopyJob> jobs;
  for (size_t i = 0; i < depth; ++i)
    jobs.push_back(client.makeJob());
  const auto start = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    CopyJob &job = jobs[static_cast<size_t>(round) % depth];
    job.job->fence()->wait();
    need(client.queue->submit(*job.job));
  }
  for (CopyJob &job : jobs)
    job.job->fence()->wait();
  const double seconds = microsecondsSince(start) / 1e6;
  printOut("{:<58} {:>9.0f}\n", fmt::format("jobs per second, {} in the queue", depth), rounds / seconds);
}

void measureCalls(const std::shared_ptr<Device> &device, int rounds) {
  CopyClient client(device);
  Sample buffers, mappings;
  for (int round = 0; round < rounds; ++round) {
    std::shared_ptr<Buffer> buffer;
    buffers.add([&] { buffer = Buffer::create(device, kPageBytes).value(); });
    mappings.add([&] { (void)client.context->map(buffer, Access::Read).value(); });
  }
  buffers.print("a buffer of a page");
  mappings.print("mapping and unmapping it");
}

int runMain(int argc, char **argv) {
  CommandLine app("Cost of the kernel driver", "kernelDriverBench");
  uint32_t rounds = 2000;
  addNumber(app, "--rounds", rounds, "jobs of each measurement", 1, 1'000'000).showDefault();
  return runProgram(app, argc, argv, [&]() -> Status {
    registerKernelBackend();
    const std::shared_ptr<Device> kernel = openTestDevice("kernel"), simulator = openTestDevice("sim");
    const int count = static_cast<int>(rounds);
    printOut("{:<58} {:>9} {:>9}\n", "us", "least", "median");
    measureRoundTrips(kernel, count);
    measureRun(kernel, count, "Queue::run(), kernel driver");
    measureRun(simulator, count, "Queue::run(), simulator in the process");
    measureCalls(kernel, std::max(1, count / 20));
    for (size_t depth : {1, 4, 16, 64})
      measureRate(kernel, count, depth);
    return Status::ok();
  });
}

} // namespace

int main(int argc, char **argv) { return guardedMain(argc, argv, runMain); }
