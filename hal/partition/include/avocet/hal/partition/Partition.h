//===- Partition.h - One model on several devices ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepares a model on the devices that run it best, and the CPU. The result is a prepared model as any other: all kinds
// of execution work on it.
//
// Each operation goes to the cheapest device that supports it. One device for all operations prepares the whole model.
// Otherwise each device gets steps: models of some of the operations, whose inputs and outputs the host passes on. An
// IF or WHILE that no device supports is interpreted by the host, and its branches, condition and body are divided in
// the same way.
//
// If a device fails, the CPU does its work: for one step, then for the whole model. InvalidArgument,
// OutputInsufficientSize and MissedDeadline* are never repeated. Extension operations never move to the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_PARTITION_H
#define AVOCET_HAL_PARTITION_PARTITION_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace avocet::hal {

/// A step as planned. Operations and operands are indices of its subgraph.
struct StepDescription {
  enum class Kind { Device, If, While }; ///< the last two are interpreted by the host
  Kind kind = Kind::Device;
  uint32_t subgraph = 0; ///< 0: the main one, k + 1: referenced subgraph k
  std::string device;    ///< that prepared the step; "host" for If and While
  std::vector<uint32_t> operations;
  std::vector<uint32_t> inputs;  ///< that other steps or the caller provide
  std::vector<uint32_t> outputs; ///< that other steps or the caller read
};

/// The steps of each subgraph in their order. Steps of referenced subgraphs come after those of the main one.
struct PlanDescription {
  std::vector<StepDescription> steps;
};

/// One line for each step: subgraph, device, operations by name. `model`: the one that was planned.
std::string planTable(const PlanDescription &plan, const Model &model);
/// The steps and the operands between them, in Graphviz's notation.
std::string planGraph(const PlanDescription &plan, const Model &model);

/// A subgraph (0: the main one, k + 1: referenced subgraph k) and the index of one of its operations.
using SourceOperation = std::pair<uint32_t, uint32_t>;

enum class StepCacheAccess { Existing, Created };
/// Opens the cache files of a step, of which `operations` are the identity; empty: the whole model. Returns no files if
/// there are none. Existing: only files that another preparation left. Called on the thread of the preparation.
using StepCacheFiles =
    std::function<CacheFiles(const IDevice &device, std::span<const SourceOperation> operations, StepCacheAccess)>;

/// Whether the CPU repeats what a device failed to do.
enum class CpuFallback { Allowed, Forbidden };

/// What a preparation or an execution did that the plan does not tell.
enum class PartitionEvent {
  StepFromCache, ///< a step was not compiled
  CpuFallback,   ///< the CPU took over after a device failed, in a preparation or an execution
};

struct PartitionOptions {
  ExecutionPreference preference = ExecutionPreference::FastSingleAnswer;
  Priority priority = Priority::Medium;
  OptionalTimePoint deadline; ///< absolute; of the whole preparation
  std::vector<TokenValuePair> hints;
  std::vector<ExtensionNameAndPrefix> extensionNameToPrefix; ///< of the hints' tokens
  bool mayPartition = true; ///< false: only a device that supports the whole model is used
  CpuFallback fallback = CpuFallback::Allowed;
  StepCacheFiles cacheFiles; ///< empty: no caching
  /// Called on any thread, also by executions; must be quick. Empty: nothing is called.
  std::function<void(PartitionEvent)> onEvent;
};

struct PartitionedModel {
  std::shared_ptr<IPreparedModel> model;
  std::shared_ptr<IDevice> onlyDevice; ///< that runs the whole model; null: there are several, or the host works too
  PlanDescription plan;
  MemoryPreference memory; ///< suits all its devices
};

/// `devices` in the order of the user's preference among equal costs; `cpu`, if not null, comes after them and wins
/// ties. A single device without a CPU gets the whole model. InvalidArgument: the model or an option breaks a rule, or
/// no device supports an operation; the message lists the devices' reasons. Thread-safe.
Result<PartitionedModel> preparePartitioned(const Model &model, std::span<const std::shared_ptr<IDevice>> devices,
                                            const std::shared_ptr<IDevice> &cpu, const PartitionOptions &options);

/// IDevice::allocate() for roles of models of preparePartitioned(). GeneralFailure: an input or output is used by
/// several steps or by the host, or the roles belong to different devices. `owner`: the device of roles whose model was
/// prepared by a device directly; may be null if there are none.
Result<std::shared_ptr<IBuffer>> allocateForRoles(const std::vector<uint32_t> &dimensions,
                                                  const std::vector<BufferRole> &inputRoles,
                                                  const std::vector<BufferRole> &outputRoles,
                                                  const std::shared_ptr<IDevice> &owner);

} // namespace avocet::hal

#endif // AVOCET_HAL_PARTITION_PARTITION_H
