//===- ProcessTrace.cpp - The trace of a whole process --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ProcessTrace.h"

#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/Trace.h"

#include <cstdlib>
#include <unistd.h>

namespace avocet {
namespace {

constexpr size_t kMaxSpans = 500'000; ///< about 100 MB

// Threads may still write spans when the process ends, so the trace is never destroyed.
Trace *processTrace = nullptr;
pid_t owner = 0;

void writeTrace() {
  if (getpid() != owner)
    return;
  if (Status status = writeFile(knobText(knobs::kTrace), processTrace->toJson()); !status.isOk())
    logMessage(LogLevel::Error, "trace", "{}", status.message());
}

bool start() {
  if (knobText(knobs::kTrace).empty())
    return false;
  owner = getpid();
  processTrace = new Trace(kMaxSpans);
  Trace::activate(processTrace);
  return std::atexit(writeTrace) == 0;
}

} // namespace

void startProcessTrace() {
  static const bool kIsStarted = start();
  (void)kIsStarted;
}

} // namespace avocet
