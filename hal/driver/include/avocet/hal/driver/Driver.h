//===- Driver.h - The device in this process --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the device of one target through a back end of the runtime. The driver compiles models in worker processes, or
// with the compiler's library, which it loads at the first compilation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_DRIVER_H
#define AVOCET_HAL_DRIVER_DRIVER_H

#include "avocet/firmware_iface/Profile.h"
#include "avocet/hal/types/DevicePower.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace avocet::hal {

class Quota;

/// A limit in bytes for all clients of all drivers with this object in their options. Half of it is reserved in equal
/// shares for `clients` clients. Of the rest, one client gets at most as much as is left, so that a client that takes
/// all it can leaves as much for others.
std::shared_ptr<Quota> makeMemoryLimit(uint64_t bytes, uint32_t clients);

struct DriverOptions {
  std::string target = "e256"; ///< a shipped profile or the path of a target file
  std::string backend = "sim"; ///< back end of the runtime: "sim", or a registered one, with argument
  bool timing = true;          ///< the simulator counts cycles; without, executions have no time on the device
  uint32_t threads = 1;        ///< without timing: threads of the host that compute, with the caller's
  std::string compilerLibrary; ///< path of libavocetCompiler.so; empty: see Loader.h

  /// Processes that compile the models, started by the program for models of untrusted clients; they load their own
  /// library. Null: models are compiled in this process, with `compilerLibrary`.
  std::shared_ptr<CompileWorkers> compileWorkers;

  /// Effort of the compiler for the schedule, CompileRequest::optimize. Above 1 the compiler simulates its
  /// alternatives, which compile workers cannot: Driver::open() answers InvalidArgument then.
  uint32_t optimize = compiler::kDefaultOptimize;
  /// Preparations and executions get a program of level 0, the compiler's fastest. The program of level `optimize` is
  /// compiled in the background, at low priority, and replaces it between two executions, also in the caches. Results
  /// are the same bits. At most 64 such compilations wait; further programs stay at level 0.
  bool staged = false;

  /// For tests of those who read artefacts: models are compiled with a source map, and this function sees the artefacts
  /// of each compilation, on the thread that compiles. Its error fails the preparation. Not with `compileWorkers`.
  std::function<Status(const compiler::CompileResult &)> inspect;

  /// Folder of the driver's records about its clients' cache files; made if its parent exists. It must be a trusted
  /// folder (avocet/base/TrustedFolder.h). Empty: the device offers no compilation caching.
  std::string cacheDirectory;
  /// Size limit of the driver's own compilation cache in that directory, used for clients that pass no cache files. 0:
  /// off.
  uint64_t blobCacheBytes = 0;

  /// Memory limit of buffers, models and pools of all clients together, as ClientQuotas::memoryBytes. Null: no limit.
  std::shared_ptr<Quota> memory;

  uint32_t numWorkers = 2;       ///< threads of each client for asynchronous calls, started by the first call
  uint32_t maxQueuedCalls = 256; ///< of a client, waiting for a worker; more are RESOURCE_EXHAUSTED_TRANSIENT

  /// Most device time that the compiler may predict for a program, at the default clock level; 0: any. The watchdog
  /// allows a section 8 times the prediction (avocet/runtime/Queue.h), and the prediction of a program from a cache
  /// file may be any number: this limits how long a job that hangs keeps the device. Models above it are not prepared,
  /// and executions whose shapes lead above it fail: ResourceExhaustedPersistent.
  Duration maxPredictedTime{0};

  /// Programs that a prepared model keeps for dimensions and values of executions; the least recently used is evicted.
  size_t maxSpecializations = 16;

  /// If set, called with a profile of each job, on a thread of the back end; see runtime::BackendOptions.
  std::function<void(const firmware::JobProfile &)> profileSink;
  /// Adds a span for each command of the device to the active trace (avocet/base/Trace.h), in device time, beside the
  /// spans that the driver itself adds. A network has thousands of commands: give the trace a limit.
  bool trace = false;
  /// Whose time executions are, in traces and sums; see avocet/hal/types/LayerTimes.h.
  TraceLayer traceLayer = TraceLayer::Driver;

  /// Scratch memory of a prepared model without executions for this time is returned to the system.
  Duration idleTimeout = std::chrono::seconds(10);
  /// The clock of `idleTimeout`; empty: BootClock.
  std::function<TimePoint()> clock;
};

/// Limits of one client of a device. Beyond them: ResourceExhaustedTransient if the client must first release other
/// objects, ResourceExhaustedPersistent if a single object exceeds the whole quota. Contexts and fences are limited for
/// all clients together: one client gets at most as many as are left, also below its quota.
struct ClientQuotas {
  uint64_t memoryBytes = uint64_t(1) << 32; ///< buffers, scratch and constants of its models, mapped pools
  uint64_t cacheBytes = uint64_t(1) << 30;  ///< bytes of cache files written by one preparation
  uint32_t buffers = 1024;                  ///< driver-allocated
  uint32_t preparedModels = 128;            ///< each has a context on the device
  uint32_t compilations = 4;                ///< simultaneous; more wait in order
  uint32_t queuedExecutions = 256;          ///< launched and not ended
  uint32_t awaitedFences = 1024;            ///< awaited by fenced executions that have not ended
};

/// A client of the device. Clients share only the device: a buffer's token is valid only for its own client.
struct ClientOptions {
  std::string name; ///< in logs
  ClientQuotas quotas;
};

/// The device as one client sees it.
class ClientDevice : public IDevice {
public:
  /// Ends the client: none of its work starts any more, and its work in flight is cancelled. Compilations stop, queued
  /// jobs never run, the running one ends at the next yield point, and fenced executions stop waiting and put their
  /// fences into the error state. Every call in flight returns (GeneralFailure if cancelled); later calls on any of its
  /// objects return DeviceUnavailable. Does not wait for any of that; may be called several times.
  virtual void abandon() = 0;
};

/// Work of the driver for all its clients since it was opened, and its current contents. Each number by itself is
/// exact.
struct DriverCounters {
  uint64_t hostBytesCopied = 0;       ///< between clients' memory and the driver's memory, by the host
  uint64_t poolsMapped = 0;           ///< clients' files that were mapped into a model's context
  uint64_t operandsBound = 0;         ///< inputs and outputs of jobs, to clients' memory or to buffers
  uint64_t bindingsReused = 0;        ///< kept from the job's last run
  uint64_t specializations = 0;       ///< programs compiled for the shapes and values of an execution
  uint64_t specializationsCached = 0; ///< programs for them that a cache had
  uint64_t improvements = 0;          ///< programs replaced by those of DriverOptions::optimize
  uint64_t improvementsFailed = 0;    ///< programs that stay at level 0, since the compilation failed or had no place

  uint64_t executionsEver = 0; ///< ended
  uint64_t executionsFailed = 0;
  uint64_t compilerRuns = 0; ///< compilations and support queries
  uint64_t compilerNanoseconds = 0;
  uint64_t cacheHits = 0; ///< preparations whose compilation was in the driver's own cache or in the client's files
  uint64_t cacheMisses = 0;

  uint64_t clients = 0;
  uint64_t preparedModels = 0;
  uint64_t buffers = 0;
  uint64_t executions = 0;
  uint64_t memoryBytes = 0; ///< as ClientQuotas counts it

  /// Of DriverOptions::compileWorkers, for all drivers that share them; 0 without.
  uint64_t compilerCrashes = 0;
  uint64_t compilerRestarts = 0;

  DevicePower power;
};

/// A device that several clients share. Thread-safe.
class Driver {
public:
  /// NotFound and similar errors of target and back end become GeneralFailure, a lost device DeviceUnavailable.
  static Result<std::shared_ptr<Driver>> open(const DriverOptions &options);
  virtual ~Driver() = default;

  /// The device as one client sees it. Its state lives as long as the last object made by it.
  virtual Result<std::shared_ptr<ClientDevice>> connect(const ClientOptions &client) = 0;

  virtual DriverCounters counters() const = 0;
};

/// Driver::open() for a single client.
Result<std::shared_ptr<IDevice>> openDevice(const DriverOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_DRIVER_H
