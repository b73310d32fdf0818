//===- Interfaces.h - Device, prepared model, execution ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's objects with the semantics of Android's NN HAL (1.0 to AIDL v4), in the canonical types. A caller cannot
// tell whether an object lives in its process or behind a connection. All methods may be called from any thread at any
// time. Objects are shared: the last reference releases everything, after the work in flight has ended. Every call
// answers; none throws.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_INTERFACES_H
#define AVOCET_HAL_INTERFACES_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"

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
  OptionalTimePoint deadline;           ///< absolute; one that has passed answers MissedDeadlinePersistent
  OptionalDuration loopTimeoutDuration; ///< per WHILE; default kDefaultLoopTimeout, at most kMaximumLoopTimeout
  std::vector<TokenValuePair> hints;
};

/// A request that was validated and bound once and runs many times. One run at a time; a second one is InvalidArgument.
class IExecution {
public:
  virtual ~IExecution() = default;
  virtual ExecutionOutcome compute(const OptionalTimePoint &deadline) = 0;
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
};

/// Why an operation is not supported, for people and programs; empty `rule`: it is.
struct Unsupported {
  std::string operation;
  std::string operand;
  std::string rule;
  std::string value;
  std::string limit;
};

/// One entry for each operation of the main subgraph. A yes is binding.
struct SupportedOperations {
  std::vector<bool> supported;
  std::vector<Unsupported> reasons; ///< as many
};

/// Descriptors of the caller's cache files, opened for reading and writing at any offset, of any size. The driver
/// duplicates what it needs longer than the call.
struct CacheFiles {
  std::vector<SharedHandle> modelCache;
  std::vector<SharedHandle> dataCache;
  CacheToken token = {};
  bool areGiven() const { return !modelCache.empty() || !dataCache.empty(); }
};

struct PrepareOptions {
  ExecutionPreference preference = ExecutionPreference::FastSingleAnswer;
  Priority priority = Priority::Medium;
  OptionalTimePoint deadline; ///< absolute; one that has passed answers MissedDeadlinePersistent
  CacheFiles cache;           ///< bad cache arguments never fail a preparation
  std::vector<TokenValuePair> hints;
};

using PreparedModelCallback = std::function<void(ErrorStatus, std::shared_ptr<IPreparedModel>)>;

class IDevice {
public:
  virtual ~IDevice() = default;

  /// These never change while the driver is installed, also not over restarts.
  virtual const std::string &name() const = 0;
  /// Differs between any two builds whose artefacts differ.
  virtual const std::string &versionString() const = 0;
  virtual Version featureLevel() const = 0;
  virtual DeviceType type() const = 0;
  virtual const std::vector<Extension> &supportedExtensions() const = 0;
  virtual const Capabilities &capabilities() const = 0;
  virtual NumberOfCacheFiles numberOfCacheFilesNeeded() const = 0;

  virtual DeviceStatus status() const = 0;

  /// InvalidArgument for a model that breaks a rule of the HAL.
  virtual Result<SupportedOperations> getSupportedOperations(const Model &model) const = 0;

  /// Compiles. InvalidArgument: the model or an option breaks a rule. GeneralFailure: an operation is not supported, a
  /// pool cannot be mapped, no resources. MissedDeadline*: the deadline passed first.
  virtual Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) = 0;

  /// The same in the background. `callback` is called exactly once, on a refusal too; the status returned is that of
  /// the launch. The driver keeps no reference to the prepared model behind the callback.
  virtual ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                 PreparedModelCallback callback) = 0;

  /// From files that a preparation with the same token wrote. InvalidArgument: wrong number of files, closed or
  /// unsuitable descriptors. GeneralFailure: anything else that is not exactly what was saved.
  virtual Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                        const CacheFiles &cache) = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_INTERFACES_H
