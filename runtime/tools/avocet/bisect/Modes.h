//===- Modes.h - What avocet bisect searches -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_MODES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_MODES_H

#include "Trials.h"

#include <string>
#include <vector>

namespace avocet::tool {

struct BisectOptions {
  TrialOptions trials;
  Settings base; ///< of all candidates
  bool hasGood = false;
  std::string good, bad;              ///< settings, as text
  std::vector<std::string> compilers; ///< paths of libraries, the good one first
};

/// Each prints its answer to the standard output. FailedPrecondition: there is nothing to search for.

/// The settings that differ between the good and the bad ones and together make the result wrong.
Status bisectOptions(const BisectOptions &options, Progress &progress);

/// The optional transform, and in it the rewrite, that makes the result wrong.
Status bisectPasses(const BisectOptions &options, Progress &progress);

/// The library that makes the result, or the artefacts, wrong.
Status bisectCompilers(const BisectOptions &options, Progress &progress);

/// The end of each answer: what the last bad candidate does, and the number of trials.
void printEvidence(const Trials &trials, const Investigation &investigation);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BISECT_MODES_H
