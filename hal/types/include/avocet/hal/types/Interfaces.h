//===- Interfaces.h - Device, prepared model, execution ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's objects with the semantics of Android's NN HAL (1.0 to AIDL v4), in the canonical types. The interfaces
// are the same for objects in process and objects of a service. All methods may be called from any thread at any time.
// Objects are shared: dropping the last reference waits for the work in flight, then releases everything. Every call
// returns; none throws.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_INTERFACES_H
#define AVOCET_HAL_TYPES_INTERFACES_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/SyncFence.h"
#include "avocet/hal/types/Types.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace avocet::hal {

/// How an execution ended. Shapes: for None one entry for each output, all sufficient and known; for
/// OutputInsufficientSize one entry for each, at least one insufficient; else empty.
struct [[nodiscard]] ExecutionOutcome {
  ErrorStatus status = ErrorStatus::None;
  std::string message; ///< of an error: names the thing, the rule and the limit
  std::vector<OutputShape> outputShapes;
  Timing timing; ///< empty unless measured and successful
  bool isOk() const { return status == ErrorStatus::None; }
};

using ExecutionCallback = std::function<void(const ExecutionOutcome &)>;

struct ExecutionOptions {
  MeasureTiming measure = MeasureTiming::No;
  OptionalTimePoint deadline; ///< absolute; one that has passed: MissedDeadlinePersistent
  OptionalDuration
      loopTimeoutDuration; ///< per WHILE; default kDefaultLoopTimeout; InvalidArgument above kMaximumLoopTimeout
  std::vector<TokenValuePair> hints; ///< attributes of extensions; unknown ones are ignored
  std::vector<ExtensionNameAndPrefix> extensionNameToPrefix = {}; ///< of the hints' tokens
};

struct FencedOptions {
  ExecutionOptions execution;         ///< its deadline is absolute
  OptionalDuration timeoutAfterFence; ///< longest time after the last awaited fence has signaled
};

/// Times of a fenced execution, if measured and successful.
struct FencedTimes {
  Timing launched; ///< driver time counted from the call
  Timing fenced;   ///< driver time counted from the signal of the last awaited fence
};

/// The result of a fenced execution, to be read after its fence. Thread-safe.
class IFencedExecution {
public:
  virtual ~IFencedExecution() = default;
  /// GeneralFailure until the fence has signaled; then the execution's own error, or its times.
  virtual Result<FencedTimes> executionInfo() = 0;
};

/// `fence` signals when the outputs are written, or goes to its error state. An empty fence: already done.
struct FencedLaunch {
  SyncFence fence;
  std::shared_ptr<IFencedExecution> info; ///< never null
};

/// A request that was validated and bound once and may run many times. One run at a time; a second is InvalidArgument.
class IExecution {
public:
  virtual ~IExecution() = default;
  virtual ExecutionOutcome compute(const OptionalTimePoint &deadline) = 0;
  /// As IPreparedModel::executeFenced(). The run ends with the fence.
  virtual Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                             const OptionalDuration &timeoutAfterFence);
};

/// Repeated executions whose memories have identifiers: the work done once for a memory (mapping, binding) is kept
/// under its identifier until that is released. One run at a time; a second one is GeneralFailure.
class IBurst {
public:
  virtual ~IBurst() = default;
  /// `memoryIdentifiers`: one for each pool of the request; at least 0, the same number for the same memory, or -1:
  /// keep nothing. Another count or value is InvalidArgument. GeneralFailure: another execution of the burst runs.
  virtual ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                   const ExecutionOptions &options) = 0;
  /// An unknown identifier is accepted, one below -1 is InvalidArgument.
  virtual Outcome releaseMemoryResource(int64_t identifier) = 0;
};

/// Device memory that the driver allocated for certain inputs and outputs of prepared models. It starts uninitialized.
/// A successful execution that writes it, or copyFrom(), initializes it; a failed one makes it uninitialized again.
/// Reads may run in parallel. Conflicting accesses leave undefined contents, but each call ends.
class IBuffer {
public:
  virtual ~IBuffer() = default;
  /// Names the buffer in requests; above 0, valid for this client of the device during the object's lifetime.
  virtual BufferToken token() const = 0;
  /// GeneralFailure: not initialized. InvalidArgument: the memory has another size.
  virtual Outcome copyTo(const SharedMemory &memory) = 0;
  /// `dimensions`: complete, or empty if the buffer's own are known. InvalidArgument: they contradict the buffer's, or
  /// the memory's size is not theirs.
  virtual Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) = 0;
};

class IPreparedModel {
public:
  virtual ~IPreparedModel() = default;

  /// Runs the request and waits. InvalidArgument: the request breaks a rule of the model. OutputInsufficientSize with
  /// shapes: an output's region is too small.
  virtual ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) = 0;

  /// Launches the request; `callback` is called exactly once, also if the launch is refused (then with the same status
  /// that is returned). It may run on any thread, before this call returns too, and should not block.
  virtual ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                            ExecutionCallback callback) = 0;

  virtual Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                                      const ExecutionOptions &options) = 0;

  /// Runs the request once all of `waitFor` have signaled; returns at once. InvalidArgument: an output's size is not
  /// known, or a fence is already in its error state. An error later puts the returned fence into its error state.
  /// Executions that wait for fences of the same device follow each other on the device.
  virtual Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                             const FencedOptions &options);

  virtual Result<std::shared_ptr<IBurst>> configureBurst();
};

/// Why an operation is not supported, readable by people and programs. Empty `rule`: the operation is supported.
struct Unsupported {
  std::string operation;
  std::string operand;
  std::string rule;
  std::string value;
  std::string limit;
};

/// One entry for each operation of the main subgraph. True is binding.
struct SupportedOperations {
  std::vector<bool> supported;
  std::vector<Unsupported> reasons; ///< as many
};

/// Descriptors of the caller's cache files, opened for reading and writing at any offset, of any size. The driver
/// duplicates descriptors that it needs longer than the call.
struct CacheFiles {
  std::vector<SharedHandle> modelCache;
  std::vector<SharedHandle> dataCache;
  CacheToken token = {};
  bool areGiven() const { return !modelCache.empty() || !dataCache.empty(); }
};

struct PrepareOptions {
  ExecutionPreference preference = ExecutionPreference::FastSingleAnswer;
  Priority priority = Priority::Medium;
  OptionalTimePoint deadline;        ///< absolute; one that has passed: MissedDeadlinePersistent
  CacheFiles cache;                  ///< bad cache arguments never fail a preparation
  std::vector<TokenValuePair> hints; ///< attributes of extensions; unknown ones are ignored
  std::vector<ExtensionNameAndPrefix> extensionNameToPrefix = {}; ///< of the hints' tokens, not those of the model
};

/// One use of a buffer: input or output `ioIndex` of `model`, with a probability in (0, 1].
struct BufferRole {
  std::shared_ptr<IPreparedModel> model;
  uint32_t ioIndex = 0;
  float probability = 1;
};

using PreparedModelCallback = std::function<void(ErrorStatus, std::shared_ptr<IPreparedModel>)>;

class IDevice {
public:
  virtual ~IDevice() = default;

  /// The following values never change while the driver is installed, also not over restarts.
  virtual const std::string &name() const = 0;
  /// Differs between any two builds whose artefacts differ.
  virtual const std::string &versionString() const = 0;
  virtual Version featureLevel() const = 0;
  virtual DeviceType type() const = 0;
  virtual const std::vector<Extension> &supportedExtensions() const = 0;
  virtual const Capabilities &capabilities() const = 0;
  virtual NumberOfCacheFiles numberOfCacheFilesNeeded() const = 0;
  virtual MemoryPreference memoryPreference() const = 0;

  /// Returns without waiting for the device. Offline: for good. Unknown: the device cannot be asked now, as while its
  /// service is away, which may return.
  virtual DeviceStatus status() const = 0;

  /// InvalidArgument for a model that breaks a rule of the HAL.
  virtual Result<SupportedOperations> getSupportedOperations(const Model &model) const = 0;

  /// Compiles. InvalidArgument: the model or an option breaks a rule. GeneralFailure: an operation is not supported, a
  /// pool cannot be mapped, no resources. MissedDeadline*: the deadline passed first.
  virtual Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) = 0;

  /// The same in the background. `callback` is called exactly once, on a refusal too; the status returned is that of
  /// the launch. The driver keeps no reference to the prepared model after the callback.
  virtual ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                 PreparedModelCallback callback) = 0;

  /// From files that a preparation with the same token wrote. InvalidArgument: wrong number of files, closed or
  /// unsuitable descriptors. GeneralFailure: anything else that is not exactly what was saved.
  virtual Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                        const CacheFiles &cache) = 0;

  /// A buffer for all of these uses; at least one. `dimensions`: its known extents (0: unknown), or empty.
  /// InvalidArgument: a model is null or of another device, an index is out of range, a probability is not in (0, 1], a
  /// role comes twice, or roles and dimensions contradict each other. GeneralFailure: the driver cannot allocate it.
  virtual Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                                    const std::vector<BufferRole> &inputRoles,
                                                    const std::vector<BufferRole> &outputRoles);
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_INTERFACES_H
