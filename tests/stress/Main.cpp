//===- Main.cpp - Stress of the driver service ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/StandardStreams.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace avocet::stress {
namespace {

constexpr const char *kDescription = R"(avocetStress: many clients against one driver service.

Starts a service, and clients as processes: they connect, compile, run in all ways, wait for fences, allocate, miss
deadlines, exceed quotas, send malformed messages, stop reading, and are killed at random moments. Every result is compared
with bits that were computed before. Then the service is killed and started again under load. At the end no process
may hang, no result may be wrong, and an idle service must hold as much as before: memory, descriptors, threads, objects.)";

constexpr const char *kExamples = R"(Examples:
  avocetStress                                   a few seconds of everything
  avocetStress --deaths 1000 --restarts 100      the test before a release
  avocetStress --seconds 3600 --clients 32       an hour
  avocetStress --deaths 200 --seed 7             other models, other choices
Exit code: 0 SUCCESS, 1 FAILURE or a leak, 2 the command line is wrong, 3 HANG, 4 CRASH.)";

struct Options {
  Settings settings;
  uint64_t deaths = 40, restarts = 4;
  double seconds = 2;
  std::string json;
  bool isQuiet = false, compileInProcess = false;
  bool isClient = false;
  ClientOptions client;
};

void describe(CommandLine &app, Options &options) {
  app.setDescription(kDescription);
  app.setFooter(kExamples);
  addNumber(app, "--deaths", options.deaths, "clients to kill", 0, 1'000'000'000).showDefault();
  addNumber(app, "--restarts", options.restarts, "kills of the service, under load", 0, 1'000'000'000).showDefault();
  addNumber(app, "--seconds", options.seconds, "shortest duration of each part in seconds", 0, 1e9).showDefault();
  addNumber(app, "--clients", options.settings.clients, "client processes at a time", 1,
            SharedStateContent::kMaxClients)
      .showDefault();
  addNumber(app, "--seed", options.settings.seed, "seed of the random models and choices").showDefault();
  addNumber(app, "--models", options.settings.models, "different models", 1, 1000).showDefault();
  addNumber(app, "--steps", options.settings.steps, "actions of a client that is not killed", 1, 100'000).showDefault();
  addNumber(app, "--hang", options.settings.hangSeconds,
            "seconds without progress after which a client counts as hung, if others made progress", 0.001, 1e9)
      .showDefault();
  app.addText("--service", options.settings.service,
              "path of the service's program; default: avocetd next to this program");
  app.addText("--target", options.settings.target, "device").showDefault();
  app.addFlag("--compile-in-process", options.compileInProcess, "the service compiles without worker processes");
  app.addText("--json", options.json, "file for the results as JSON");
  app.addFlag("-q,--quiet", options.isQuiet, "do not print a line each second");
}

/// Hidden options that the runner passes to its clients.
void describeClient(CommandLine &app, Options &options) {
  auto hide = [](CommandOption option) { option.group(""); };
  hide(app.addFlag("--client", options.isClient));
  hide(addNumber(app, "--shared-state", options.client.state, ""));
  hide(addNumber(app, "--slot", options.client.slot, ""));
  hide(addNumber(app, "--model-seed", options.client.modelSeed, ""));
  Choices<Role> roles;
  for (size_t i = 0; i < kNumRoles; ++i)
    roles.emplace_back(std::to_string(i), static_cast<Role>(i));
  hide(addChoice(app, "--role", options.client.role, "", roles));
  hide(app.addText("--socket", options.client.socket));
  hide(app.addText("--device", options.client.device));
  hide(app.addText("--goldens", options.client.goldens));
}

int exitCodeOf(Outcome outcome) {
  static constexpr int kCodes[] = {0, 1, 3, 4};
  return kCodes[static_cast<size_t>(outcome)];
}

/// Checks for leaks since the mark; returns an exit code.
int checkLeaks(StressRunner &runner, const std::string &title) {
  const std::vector<Leak> leaks = runner.leaksSinceMark();
  printLeaks(title, leaks);
  const bool isComplete = std::ranges::any_of(leaks, [](const Leak &leak) { return leak.figure == "descriptors"; });
  return isComplete && std::ranges::none_of(leaks, &Leak::isLeak) ? 0 : 1;
}

int finish(StressRunner &runner) {
  auto how = runner.stop();
  if (how && *how == "ended with exit code 0")
    return 0;
  printOut("the service, after SIGTERM: {}\n", how ? *how : how.status().toString());
  return 4;
}

int conduct(const Options &options) {
  auto runner = StressRunner::create(options.settings);
  if (!runner) {
    printErr("avocetStress: {}\n", runner.status().toString());
    return 1;
  }
  std::vector<ScenarioResult> results;
  int code = 0;
  auto run = [&](const Scenario &scenario) {
    if (code != 0)
      return;
    results.push_back((*runner)->run(scenario));
    code = exitCodeOf(results.back().outcome);
  };
  // The warm-up makes the one-time allocations of the service.
  run({"warm-up", 2 * options.settings.clients, 0, options.seconds / 2});
  if (code == 0)
    (*runner)->markQuiet();
  run({"deaths", options.deaths, 0, options.seconds});
  int leaks = code == 0 ? checkLeaks(**runner, "service, after deaths") : 0;
  if (options.restarts > 0)
    run({"restarts", 0, options.restarts, options.seconds});
  if (options.restarts > 0 && code == 0)
    leaks = std::max(leaks, checkLeaks(**runner, "service, after restarts"));
  if (code == 0)
    code = finish(**runner);
  printOut("\n");
  printScenarios(results);
  const int effects = printActions((*runner)->actions()) ? 0 : 1;
  code = std::max({code, leaks, effects});
  if (options.json.empty())
    return code;
  const Status written = writeJson(options.json, options.settings, results, code);
  if (!written.isOk())
    printErr("avocetStress: {}\n", written.toString());
  return written.isOk() ? code : std::max(code, 1);
}

} // namespace
} // namespace avocet::stress

static int runMain(int argc, char **argv) {
  using namespace avocet::stress;
  Options options;
  avocet::CommandLine app("");
  describe(app, options);
  describeClient(app, options);
  return avocet::runProgram(app, argc, argv, [&] {
    if (options.isClient) {
      options.client.seed = options.settings.seed;
      options.client.models = options.settings.models;
      options.client.steps = options.settings.steps;
      return runClient(options.client);
    }
    options.settings.showProgress = !options.isQuiet;
    options.settings.hasWorkers = !options.compileInProcess;
    if (options.settings.service.empty())
      options.settings.service = avocet::programBeside("avocetd");
    return conduct(options);
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
