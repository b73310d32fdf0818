//===- Report.h - Printed tables ------------------------------ -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_REPORT_H
#define AVOCET_TESTS_STRESS_REPORT_H

#include "StressRunner.h"

namespace avocet::stress {

void printScenarios(const std::vector<ScenarioResult> &results);
/// Returns whether every action that ran often enough had its effect.
bool printActions(const std::vector<ActionReport> &actions);

/// Writes the results as JSON for programs; a file that cannot be written is an error.
Status writeJson(const std::string &path, const Settings &settings, const std::vector<ScenarioResult> &results,
                 int exitCode);

void printLeaks(const std::string &title, const std::vector<Leak> &leaks);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_REPORT_H
