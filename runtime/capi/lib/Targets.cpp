//===- Targets.cpp - Targets and their figures ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "avocet/base/Knobs.h"
#include "avocet/documents/TargetsJson.h"

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetTargetList(AvocetReport **report) {
  return reported(report, []() -> Result<std::string> {
    AVOCET_ASSIGN_OR_RETURN(const documents::Targets targets, documents::shippedTargets());
    return documents::targetsJson(targets);
  });
}

AvocetError *avocetTargetDescribe(const AvocetOptions *options, AvocetReport **report) {
  return reported(report, [&]() -> Result<std::string> {
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    const std::string &name = chosen.choice.target;
    AVOCET_ASSIGN_OR_RETURN(const auto target, firmware::Target::load(name.empty() ? knobText(knobs::kTarget) : name));
    return documents::targetJson(*target);
  });
}
