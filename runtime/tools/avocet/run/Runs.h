//===- Runs.h - Runs of one session as the options say ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNS_H

#include "RunPlace.h"
#include "output/Progress.h"

#include <functional>

namespace avocet::tool {

/// Runs in sequence: as many as asked for, or for a network with states as there are sets of inputs.
uint32_t numRuns(const session::Session &session, const RunOptions &options);

/// Takes the record of run `number`.
using RunVisitor = std::function<Status(uint32_t number, session::RunRecord record)>;

/// Runs once; or options.repeat times with the same states, where every run must give the same bytes; or numRuns()
/// times in sequence. Writes outputs and states as the options say.
Status runAll(session::Session &session, const RunOptions &options, const Pictures &pictures, Progress &progress,
              const RunVisitor &visit);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNS_H
