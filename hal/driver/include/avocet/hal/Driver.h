//===- Driver.h - The device in this process --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the device of one target through a back end of the runtime. The driver compiles models in worker processes, or
// with the compiler's library, which it loads when there is something to compile and never before.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_H
#define AVOCET_HAL_DRIVER_H

#include "avocet/hal/CompileWorkers.h"
#include "avocet/hal/Interfaces.h"
#include "avocet/runtime/Profile.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace avocet::hal {

class Quota;

/// A number of bytes for all clients of all drivers that have it in their options. Half of it is kept in equal shares
/// for so many clients. Of the rest one client gets no more than is left, so that a client which takes all it can
/// leaves as much for others.
std::shared_ptr<Quota> makeMemoryLimit(uint64_t bytes, uint32_t clients);

struct DriverOptions {
  std::string target = "e256"; ///< a shipped profile or the path of a target file
  std::string backend = "sim"; ///< back end of the runtime: "sim", or one that the program registered, with argument
  std::string compilerLibrary; ///< path of libavocetCompiler.so; empty: as Loader.h says

  /// Where models are compiled: in these processes, which the program started for models of untrusted clients, with
  /// their own library. Null: in this process, with `compilerLibrary`.
  std::shared_ptr<CompileWorkers> compileWorkers;

  /// Where the driver keeps what it must remember of its clients' cache files, made if its parent exists. It must be a
  /// trusted folder (avocet/base/TrustedFolder.h). Empty: the device offers no compilation caching.
  std::string cacheDirectory;
  /// Bound of the driver's own cache of compilations in that directory, which serves clients that offer no files. 0:
  /// off.
  uint64_t blobCacheBytes = 0;

  /// Of buffers, models and pools of all clients together, as ClientQuotas::memoryBytes counts them. Null: no limit.
  std::shared_ptr<Quota> memory;

  uint32_t numWorkers = 2;       ///< threads of each client for asynchronous calls, started by the first of them
  uint32_t maxQueuedCalls = 256; ///< of a client that wait for a worker; more are RESOURCE_EXHAUSTED_TRANSIENT

  /// Programs that one prepared model keeps for dimensions and values seen at execution; the least recently used goes.
  size_t maxSpecialisations = 16;

  /// If set, receives a profile of each job, on a thread of the back end; see runtime::BackendOptions.
  std::function<void(const runtime::JobProfile &)> profileSink;

  /// Scratch memory of a prepared model that no execution used for this long goes back to the system.
  Duration idleTimeout = std::chrono::seconds(10);
  /// What `idleTimeout` is measured with; empty: BootClock.
  std::function<TimePoint()> clock;
};

/// What one client of a device may have at a time. Beyond it: ResourceExhaustedTransient when others of the client's
/// own have to go first, ResourceExhaustedPersistent when a single thing is larger than the whole.
/// Of contexts and fences the device has so many for all clients together: one client gets no more than is left, also
/// below its quota.
struct ClientQuotas {
  uint64_t memoryBytes = uint64_t(1) << 32; ///< buffers, scratch and constants of its models, mapped pools
  uint64_t cacheBytes = uint64_t(1) << 30;  ///< of cache files that one preparation writes
  uint32_t buffers = 1024;                  ///< driver-allocated
  uint32_t preparedModels = 128;            ///< each has a context on the device
  uint32_t compilations = 4;                ///< at the same time; more wait in turn
  uint32_t queuedExecutions = 256;          ///< that were launched and have not ended
  uint32_t awaitedFences = 1024;            ///< by fenced executions that have not ended
};

/// Who uses the device. Clients share the device and nothing else: a buffer's token means something to its own client
/// only.
struct ClientOptions {
  std::string name; ///< in logs
  ClientQuotas quotas;
};

/// The device as one client sees it.
class ClientDevice : public IDevice {
public:
  /// The client is gone: nothing of it starts any more, and what it has in flight ends. Its compilations give up, its
  /// queued jobs never run, its running one ends at the next yield point, its fenced executions stop waiting and put
  /// their fences into the error state; every call in flight answers (GeneralFailure, if this ended it), and later ones
  /// on any of its objects give DeviceUnavailable. Does not wait for any of that; may be called several times.
  virtual void abandon() = 0;
};

/// What the driver did for all its clients since it was opened, and what it holds now. Each number by itself is exact.
struct DriverCounters {
  uint64_t hostBytesCopied = 0; ///< between clients' memory and memory of the driver's, by the host
  uint64_t poolsMapped = 0;     ///< clients' files that were mapped into a model's context
  uint64_t operandsBound = 0;   ///< inputs and outputs of jobs, to clients' memory or to buffers
  uint64_t bindingsReused = 0;  ///< that a job had from its last run already

  uint64_t clients = 0;
  uint64_t preparedModels = 0;
  uint64_t buffers = 0;
  uint64_t executions = 0;
  uint64_t memoryBytes = 0; ///< as ClientQuotas counts it

  /// Of DriverOptions::compileWorkers, for all drivers that share them; 0 without.
  uint64_t compilerCrashes = 0;
  uint64_t compilerRestarts = 0;
};

/// A device that several clients share. Thread-safe.
class Driver {
public:
  /// NotFound and the like of target and back end become GeneralFailure, a lost device DeviceUnavailable.
  static Result<std::shared_ptr<Driver>> open(const DriverOptions &options);
  virtual ~Driver() = default;

  /// The device as one client sees it. It lives as long as the last object made by it.
  virtual Result<std::shared_ptr<ClientDevice>> connect(const ClientOptions &client) = 0;

  virtual DriverCounters counters() const = 0;
};

/// Driver::open() for a single client.
Result<std::shared_ptr<IDevice>> openDevice(const DriverOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_H
