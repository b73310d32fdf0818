//===- Scenario.h - Parameters of a run ----------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_SCENARIO_H
#define AVOCET_TESTS_STRESS_SCENARIO_H

#include <cstdint>
#include <string>

namespace avocet::stress {

struct Scenario {
  std::string name;
  uint64_t deaths = 0;   ///< clients to kill; the scenario lasts until they are dead
  uint64_t restarts = 0; ///< kills of the service
  double seconds = 0;    ///< shortest duration
};

struct Settings {
  uint32_t clients = 8; ///< at a time
  uint64_t seed = 1;
  size_t models = 12;
  uint64_t steps = 60;     ///< of one life
  double hangSeconds = 30; ///< see Watch.h
  std::string service;     ///< program
  std::string target = "e256";
  bool hasWorkers = true; ///< the service compiles in processes of its own
  bool showProgress = true;
};

enum class Outcome { Success, Failure, Hang, Crash };
std::string toString(Outcome outcome);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_SCENARIO_H
