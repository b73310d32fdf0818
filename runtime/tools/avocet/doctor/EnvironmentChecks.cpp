//===- EnvironmentChecks.cpp - Settings that change behavior -------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "avocet/base/Knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::tool {

std::vector<Finding> checkEnvironment() {
  std::vector<Finding> findings;
  std::vector<std::string> settings;
  for (const Knob &knob : allKnobs())
    if (const std::string value = knobText(knob); value != knob.defaultValue)
      settings.push_back(fmt::format("{}={}", knob.name, value));
  findings.push_back({"environment", Health::Good,
                      settings.empty() ? "no variable changes behavior" : fmt::to_string(fmt::join(settings, " ")),
                      ""});
  for (const std::string &name : unknownKnobs())
    findings.push_back({name, Health::Note, "it is set, and no variable of Avocet's programs", "see 'avocet knobs'"});
  return findings;
}

} // namespace avocet::tool
