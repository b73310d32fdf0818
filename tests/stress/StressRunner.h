//===- StressRunner.h - Starts clients and services, and kills them - -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_STRESSRUNNER_H
#define AVOCET_TESTS_STRESS_STRESSRUNNER_H

#include "Actions.h"
#include "Client.h"
#include "Scenario.h"
#include "ServiceState.h"
#include "SharedState.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <chrono>
#include <optional>

namespace avocet::stress {

/// The result of a scenario.
struct ScenarioResult {
  Scenario scenario;
  Outcome outcome = Outcome::Success;
  std::string reason; ///< if the outcome is not success
  uint64_t lives = 0, ends = 0, deaths = 0, restarts = 0;
  uint64_t lostAnswers = 0; ///< calls that had not returned when a hang ended the scenario
  std::array<uint64_t, kNumCounts> counts{};
  double seconds = 0;
};

/// One figure of the service before and after.
struct Leak {
  std::string figure;
  uint64_t before = 0, after = 0, allowed = 0;
  bool isLeak() const { return after > before && after - before > allowed; }
};

class StressRunner {
public:
  /// Computes the golden bits and starts a service.
  static Result<std::unique_ptr<StressRunner>> create(const Settings &settings);
  ~StressRunner();

  ScenarioResult run(const Scenario &scenario);

  /// Waits until the service is idle, and stores its figures. Requires that no client runs.
  void markQuiet();
  /// Waits again; returns the figures that have grown since the mark.
  std::vector<Leak> leaksSinceMark();

  /// Runs and effects of actions in all scenarios.
  std::vector<ActionReport> actions() { return reportActions(state_.content()); }

  /// Stops the service with a signal; returns how it ended.
  Result<std::string> stop();

private:
  /// A client process and its planned signals.
  struct Life {
    pid_t pid = -1; ///< -1: none
    Role role = Role::Worker;
    std::chrono::steady_clock::time_point killAt, stopAt, continueAt; ///< max(): never
    bool isKilled = false, isStopped = false;
  };

  explicit StressRunner(const Settings &settings, ScratchDirectory scratch, SharedState state);
  Status startService();
  Status restartService();
  void start(Life &life, uint32_t slot, const Scenario &scenario);
  void reap(Life &life, uint32_t slot, ScenarioResult &result);
  void act(Life &life, std::chrono::steady_clock::time_point now);
  void killAll();
  ServiceState measure();
  uint64_t totalProgress();
  void showProgress(const ScenarioResult &result);

  Settings settings_;
  ScratchDirectory scratch_;
  SharedState state_;
  Random random_;
  std::string socket_, log_, goldens_, device_;
  std::optional<hal::ServiceProcess> service_;
  std::vector<Life> lives_;
  ServiceState mark_;
  std::chrono::steady_clock::time_point lastShown_;
};

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_STRESSRUNNER_H
