//===- CompileWorkers.h - Compiles models in other processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler parses models of untrusted clients. Here it does so in a process of its own, one for each compilation,
// which holds nothing but that one request and may make no system calls but those that computing needs. If the model
// crashes the compiler, lets it run out of memory or never ends, one request fails.
//
// The processes: this one starts the launcher (the program avocetCompileWorker), which starts the zygote and starts it
// again when it dies. The zygote loads the compiler once and forks workers that wait for requests.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_COMPILEWORKERS_H
#define AVOCET_HAL_COMPILEWORKERS_H

#include "avocet/compiler/Compiler.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

struct WorkerOptions {
  std::string program;                         ///< path of avocetCompileWorker; empty: beside the running program
  std::string compilerLibrary;                 ///< as LoadedCompiler::load()
  std::vector<std::string> targets = {"e256"}; ///< what to compile for; target files are read at the start only
  uint32_t idleWorkers = 0;                    ///< that wait for a request; 0: one for each core
  uint32_t busyWorkers = 64;                   ///< compilations at the same time; more wait in turn
  uint64_t memoryBytes = uint64_t{1} << 33;    ///< address space of one worker, and most bytes of an answer
  std::chrono::seconds timeLimit{600};         ///< of one compilation
};

struct WorkerCounters {
  uint64_t compilations = 0; ///< that a worker answered
  uint64_t crashes = 0;      ///< workers that ended without an answer, or gave one that is not valid
  uint64_t restarts = 0;     ///< of the zygote, as of the last compilation
};

/// Thread-safe. Destroying it ends the processes.
class CompileWorkers {
public:
  /// Starts the processes and does not wait until they are ready; the first requests do. NotFound: there is no such
  /// program. Call it before the process gives up the right to start others.
  static avocet::Result<std::shared_ptr<CompileWorkers>> start(const WorkerOptions &options);
  virtual ~CompileWorkers() = default;

  /// As compiler::compile() to the end: `stopAfter`, `startAt` and `progress` must be empty, and the model is in
  /// `modelBytes`. Further errors: Internal (the worker crashed, or its answer is not valid), ResourceExhausted (its
  /// memory ran out), DeadlineExceeded (the time limit), FailedPrecondition (the processes are gone).
  virtual compiler::CompileResult compile(const compiler::CompileRequest &request) = 0;

  virtual WorkerCounters counters() const = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_COMPILEWORKERS_H
