//===- Report.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::stress {

std::string toString(Outcome outcome) {
  static constexpr const char *kNames[] = {"SUCCESS", "FAILURE", "HANG", "CRASH"};
  return kNames[static_cast<size_t>(outcome)];
}

void printScenarios(const std::vector<ScenarioResult> &results) {
  printOut("{:<10} {:<8} {:>7} {:>6} {:>6} {:>8}", "scenario", "outcome", "lives", "ended", "killed", "restarts");
  for (size_t i = 0; i < kNumCounts; ++i)
    printOut(" {:>11}", toString(static_cast<Count>(i)));
  printOut(" {:>8}\n", "seconds");
  for (const ScenarioResult &result : results) {
    printOut("{:<10} {:<8} {:>7} {:>6} {:>6} {:>8}", result.scenario.name, toString(result.outcome), result.lives,
             result.ends, result.deaths, result.restarts);
    for (uint64_t count : result.counts)
      printOut(" {:>11}", count);
    printOut(" {:>8.1f}\n", result.seconds);
    if (!result.reason.empty())
      printOut("  {}\n", result.reason);
  }
}

Status writeJson(const std::string &path, const Settings &settings, const std::vector<ScenarioResult> &results,
                 int exitCode) {
  nlohmann::ordered_json report = {{"target", settings.target},
                                   {"workers", settings.hasWorkers},
                                   {"seed", settings.seed},
                                   {"exit_code", exitCode},
                                   {"scenarios", nlohmann::ordered_json::array()}};
  for (const ScenarioResult &result : results) {
    nlohmann::ordered_json scenario = {{"name", result.scenario.name}, {"outcome", toString(result.outcome)},
                                       {"reason", result.reason},      {"lives", result.lives},
                                       {"ended", result.ends},         {"killed", result.deaths},
                                       {"restarts", result.restarts},  {"lost_answers", result.lostAnswers},
                                       {"seconds", result.seconds}};
    for (size_t i = 0; i < kNumCounts; ++i)
      scenario["answers"][std::string(toString(static_cast<Count>(i)))] = result.counts[i];
    report["scenarios"].push_back(std::move(scenario));
  }
  return writeFile(path, report.dump(2) + "\n");
}

bool printActions(const std::vector<ActionReport> &actions) {
  printOut("\n{:<16} {:>8} {:>12}\n", "action", "runs", "with effect");
  bool isWell = true;
  for (const ActionReport &action : actions) {
    printOut("{:<16} {:>8} {:>12}{}\n", action.name, action.runs, action.effects,
             action.isSuspicious() ? "  FAILURE: no run had an effect" : "");
    isWell &= !action.isSuspicious();
  }
  return isWell;
}

void printLeaks(const std::string &title, const std::vector<Leak> &leaks) {
  printOut("\n{:<34} {:>10} {:>10} {:>10}\n", title, "before", "after", "may grow");
  for (const Leak &leak : leaks) {
    printOut("{:<34} {:>10} {:>10} {:>10}{}\n", leak.figure, leak.before, leak.after,
             leak.allowed == UINT64_MAX ? "any" : std::to_string(leak.allowed), leak.isLeak() ? "  LEAK" : "");
  }
}

} // namespace avocet::stress
