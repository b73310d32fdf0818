//===- ProcessReports.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "telemetry/ProcessReports.h"

#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/ProcessTrace.h"
#include "avocet/hal/types/LayerTimes.h"
#include "telemetry/Counters.h"

#include <cstdlib>
#include <unistd.h>

namespace avocet::nnapi {
namespace {

pid_t owner = 0;

void write(const std::string &path, const std::string &text) {
  if (auto status = writeFile(path, text); !status.isOk())
    logMessage(LogLevel::Error, "nnapi", "{}", status.message());
}

void writeReports() {
  if (getpid() != owner)
    return;
  if (const std::string path = knobText(knobs::kNnapiCounters); !path.empty())
    write(path, Counters::instance().toJson());
}

bool start() {
  owner = getpid();
  startProcessTrace();
  if (!knobText(knobs::kNnapiCounters).empty())
    hal::LayerTimes::enable();
  return std::atexit(writeReports) == 0;
}

} // namespace

void startProcessReports() {
  static const bool kIsStarted = start();
  (void)kIsStarted;
}

} // namespace avocet::nnapi
