//===- DeathsBench.cpp - Effects of killed clients and services -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   deathsBench [--rounds N] [--model FOLDER] [--target NAME] [--bound MS] [--seed N] [--only TEXT]
//
// Two tables, of kill -9 at random moments. First of clients: the time until the service has released all their
// resources, in its counters and in its process (descriptors, threads, mapped memory). "kernel" is the part of it until
// the kernel had closed the dead process's descriptors, before which no process can detect the death. Then of the
// service: the time until a call in flight, of each kind, returned DEAD_OBJECT. Exit code 1: one time exceeded the
// bound.
//
// It needs an otherwise idle machine.
//
//===----------------------------------------------------------------------===//

#include "ClientDeaths.h"
#include "ServiceDeaths.h"
#include "Victim.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"

namespace avocet::hal::bench {
namespace {

void printHead(const char *title) {
  printOut("{:<42} {:>6} {:>8} {:>8} {:>8} | {:>10} {:>8} {:>8}\n", title, "deaths", "p50 ms", "worst", "bound",
           "kernel p50", "worst", "ours");
}

/// Prints one row; returns whether the bound held.
bool print(const Deaths &deaths, double bound) {
  std::vector<double> times = deaths.times, kernel = deaths.kernel;
  double ours = 0;
  for (size_t i = 0; i < times.size(); ++i)
    ours = std::max(ours, times[i] - kernel[i]);
  const double median = percentile(times, 0.5), kernelMedian = percentile(kernel, 0.5);
  const bool isHeld = times.back() <= bound;
  printOut("{:<42} {:>6} {:>8.2f} {:>8.2f} {:>8.0f} | {:>10.2f} {:>8.2f} {:>8.2f} {}\n", deaths.what, times.size(),
           median, times.back(), bound, kernelMedian, kernel.back(), ours, isHeld ? "" : "TOO LATE");
  std::fflush(stdout);
  return isHeld;
}

int measure(const DeathOptions &options) {
  printOut("network: {}\n\n", options.model.empty() ? "MobileNet v1, noise" : options.model);
  bool isHeld = true;
  struct Table {
    const char *title;
    std::vector<Deaths> (*measureAll)(const DeathOptions &);
  };
  for (const auto &[title, measureAll] : {Table{"a client is killed while it is", measureClientDeaths},
                                          Table{"the service is killed during", measureServiceDeaths}}) {
    printHead(title);
    for (const Deaths &deaths : measureAll(options))
      isHeld &= print(deaths, options.boundMilliseconds);
    printOut("\n");
  }
  printOut("the bound {}\n", isHeld ? "holds" : "does NOT hold");
  return isHeld ? 0 : 1;
}

} // namespace
} // namespace avocet::hal::bench

static int runMain(int argc, char **argv) {
  using namespace avocet::hal::bench;
  DeathOptions options;
  VictimOptions victim;
  options.model = sharedModel();
  avocet::CommandLine app(
      "Time until the resources of a killed client are released, and until the calls of a killed service fail");
  avocet::addNumber(app, "--rounds", options.rounds, "deaths of each kind", 1, 100'000).showDefault();
  app.addText("--model", options.model, "folder with model.tflite; empty: MobileNet v1 with noise for weights")
      .showDefault();
  app.addText("--target", options.target, "device").showDefault();
  avocet::addNumber(app, "--bound", options.boundMilliseconds, "longest time of a death in milliseconds", 0.001, 1e9)
      .showDefault();
  app.addText("--only", options.only, "only kinds whose description contains this text; default: all");
  avocet::addNumber(app, "--seed", options.seed, "seed of the random moments of death").showDefault();
  app.addText("--act", victim.act).group("");
  app.addText("--socket", victim.socket).group("");
  avocet::addNumber(app, "--shared-state", victim.shared, "").group("");
  avocet::addNumber(app, "--fence", victim.fence, "").group("");
  avocet::addNumber(app, "--life", victim.life, "").group("");
  return avocet::runProgram(app, argc, argv, [&] {
    if (!victim.act.empty())
      playVictim(victim, options);
    return measure(options);
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
