//===- Main.cpp - avocetCompileWorker, the processes that compile models -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Started by the service (CompileWorkers.h), not by users. This process is the launcher: it does not load the compiler,
// and starts a zygote whenever there is none.
//
//===----------------------------------------------------------------------===//

#include "BackOff.h"
#include "Launch.h"
#include "Zygote.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"

#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Whether the service ends within `milliseconds`.
bool isServiceGone(int control, int milliseconds) {
  pollfd entry{control, 0, 0};
  return ::poll(&entry, 1, milliseconds) > 0;
}

/// Starts a zygote and waits for its end. False: it could not be started.
bool runOnce(const ZygoteOptions &options) {
  const pid_t process = ::fork();
  if (process == 0)
    ::_exit(runZygote(options));
  while (process > 0 && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    ;
  return process > 0;
}

int launch(ZygoteOptions options) {
  BackOff backOff;
  while (!isServiceGone(options.control, std::max(backOff.milliseconds(), 0))) {
    const auto start = BackOff::Clock::now();
    options.number += runOnce(options);
    // A zygote that ran for longer than kLongest did not fail at its start.
    if (BackOff::Clock::now() - start > BackOff::kLongest)
      backOff.succeed();
    else
      backOff.fail();
  }
  return EXIT_SUCCESS;
}

} // namespace
} // namespace avocet::hal

static int runMain(int argc, char **argv) {
  using namespace avocet;
  using namespace avocet::hal;
  CommandLine app("avocetCompileWorker: compiles models for avocetd, which starts it. Descriptor 3 is its socket.");
  ZygoteOptions options;
  options.control = kWorkerControl;
  addNumber(app, "--idle", options.idleWorkers, "workers that wait for a request", 1, 1024).required();
  addNumber(app, "--memory", options.memoryBytes, "bytes of address space of one worker").required();
  addNumber(app, "--seconds", options.seconds, "processor time of one worker").required();
  app.addText("--library", options.compilerLibrary,
              "path of libavocetCompiler.so; default: as for AVOCET_COMPILER_LIBRARY (see avocet knobs)");
  app.addTexts("--target", options.targets, "target to compile for; repeatable");
  return runProgram(app, argc, argv, [&] {
    // Closes descriptors that were inherited by mistake.
    ::close_range(kWorkerControl + 1, ~0u, 0);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return launch(options);
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
