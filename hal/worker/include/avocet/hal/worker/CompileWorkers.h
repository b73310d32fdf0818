//===- CompileWorkers.h - Compiles models in separate processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler parses models of untrusted clients. Here each compilation runs in its own process, which holds only that
// request and may make only the system calls that computing needs. If the compiler crashes, runs out of memory or does
// not end, one request fails.
//
// The processes: this process starts the launcher (the program avocetCompileWorker). The launcher starts the zygote,
// and starts it again when it dies. The zygote loads the compiler once and forks workers that wait for requests.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_COMPILEWORKERS_H
#define AVOCET_HAL_WORKER_COMPILEWORKERS_H

#include "avocet/compiler/Compiler.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace avocet::hal {

struct WorkerOptions {
  std::string program;                         ///< path of avocetCompileWorker; empty: in the running program's folder
  std::string compilerLibrary;                 ///< as LoadedCompiler::load()
  std::vector<std::string> targets = {"e256"}; ///< targets to compile for; target files are read only at the start
  uint32_t idleWorkers = 0;                    ///< workers that wait for a request; 0: one for each core
  uint32_t busyWorkers = 64;                   ///< simultaneous compilations; more wait in order
  uint64_t memoryBytes = uint64_t{1} << 33;    ///< address space of one worker, and most bytes of an answer
  /// Address space of all busy workers together, which also bounds that of one; more wait in order. A compilation first
  /// gets a share by the size of its model, and is repeated with all that one worker may have if that runs out. 0: no
  /// limit, and all of it at once.
  uint64_t allMemoryBytes = 0;
  std::chrono::seconds timeLimit{600}; ///< of one compilation
};

struct WorkerCounters {
  uint64_t compilations = 0; ///< that a worker answered
  uint64_t crashes = 0;      ///< workers that ended without a valid answer
  uint64_t restarts = 0;     ///< of the zygote, as of the last compilation
};

enum class Urgency {
  Foreground, ///< a caller waits
  Background, ///< the worker computes only when the processor would be idle
};

/// Thread-safe. Destroying it ends the processes.
class CompileWorkers {
public:
  /// Starts the processes and does not wait until they are ready; the first requests do. NotFound: there is no such
  /// program. Call it before the process drops the right to start others.
  static avocet::Result<std::shared_ptr<CompileWorkers>> start(const WorkerOptions &options);
  virtual ~CompileWorkers() = default;

  /// As compiler::compile() to the end, or to kParseStep: `progress` must be empty, without kParseStep also `startAt`,
  /// the model is in `modelBytes`, and `optimize` is at most kDefaultOptimize. Further errors: Internal (the worker
  /// crashed, or its answer is not valid), ResourceExhausted (its memory ran out), DeadlineExceeded (the time limit),
  /// FailedPrecondition (the processes are gone).
  virtual compiler::CompileResult compile(const compiler::CompileRequest &request, Urgency urgency) = 0;
  compiler::CompileResult compile(const compiler::CompileRequest &request) {
    return compile(request, Urgency::Foreground);
  }

  /// As compiler::judge(), with the rules and further errors of compile().
  virtual compiler::Verdict judge(const compiler::JudgeRequest &request) = 0;

  virtual WorkerCounters counters() const = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_COMPILEWORKERS_H
