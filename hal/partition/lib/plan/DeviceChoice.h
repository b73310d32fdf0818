//===- DeviceChoice.h - The best device for operations ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PLAN_DEVICECHOICE_H
#define AVOCET_HAL_PARTITION_LIB_PLAN_DEVICECHOICE_H

#include "avocet/hal/types/Interfaces.h"
#include "plan/Regions.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace avocet::hal::partition {

/// The devices that a plan may use.
struct Candidates {
  std::vector<std::shared_ptr<IDevice>> devices; ///< the CPU last
  bool hasCpu = false;
  ExecutionPreference preference = ExecutionPreference::FastSingleAnswer;
  bool isCpu(size_t device) const { return hasCpu && device + 1 == devices.size(); }
};

/// The best device of each operation of a main subgraph: the cheapest one, unless a neighbor's saves transfers
/// (Regions.h).
class DeviceChoice {
public:
  /// Asks all devices. A device that answers with an error, or with another number of operations, supports nothing.
  /// `isOpenControlFlow`: operations that only the CPU may have, see openControlFlow().
  DeviceChoice(const Candidates &candidates, const Model &model, const std::vector<bool> &isOpenControlFlow);

  /// Empty: no device supports the operation.
  std::optional<size_t> of(size_t operation) const { return best_[operation]; }
  /// The cheapest device that supports all operations.
  std::optional<size_t> forAll() const;
  /// Why no device supports the operation, for people.
  std::string reasons(size_t operation) const;

private:
  struct Answer {
    std::vector<bool> supported;
    std::vector<Unsupported> reasons;
    std::string error;
    std::vector<float> costs; ///< of operations, in nanoseconds; LOW_POWER: times the relative power
  };
  Answer ask(size_t device) const;
  bool isBetter(size_t device, float cost, const std::optional<size_t> &best, float bestCost) const;
  void chooseForEach();
  OperationTimes operationTimes() const;
  void logChoices() const;

  const Candidates &candidates_;
  const Model &model_;
  const std::vector<bool> &isOpenControlFlow_;
  std::vector<Answer> answers_;
  std::vector<std::optional<size_t>> best_;
};

/// For each operation of `subgraph`: an IF or WHILE with an operand of unknown size, in itself or in what it executes.
std::vector<bool> openControlFlow(const Model &model, const Subgraph &subgraph);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PLAN_DEVICECHOICE_H
