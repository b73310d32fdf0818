//===- ConstantPools.h - Private copies of a model's constants ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_CONSTANTPOOLS_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_CONSTANTPOOLS_H

#include "client/Quota.h"

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

/// The purpose of a copy of constants.
enum class ConstantUse {
  Compile,
  /// To check whether a model is supported. Large constants of real numbers do not affect the answer; they read as
  /// zeros and take no memory.
  CheckSupport,
};

/// Copies only the bytes of constants. Overlapping and adjacent ranges of one pool become one range, so that a model
/// that names the same bytes several times cannot make the copy larger than its pools.
class ConstantPools {
public:
  /// Collects the ranges of all constants of a valid model and reads them. `memory` is charged for them; null: no
  /// charge. Errors as modelBytesOf().
  static Result<ConstantPools> copy(const Model &model, Quota *memory, ConstantUse use = ConstantUse::Compile);

  /// The location of a constant of that model in the copy: pool n is spans()[n], and take()[n] if no constant reads as
  /// zeros.
  DataLocation locate(const Operand &operand) const;

  std::vector<std::span<const uint8_t>> spans() const;
  /// Only the bytes that were copied, without the pool of zeros.
  std::span<const std::vector<uint8_t>> copies() const { return pools_; }
  std::vector<std::vector<uint8_t>> take() && { return std::move(pools_); }
  Charge takeCharge() && { return std::move(charge_); }

private:
  struct Range {
    uint64_t end = 0;
    uint32_t pool = 0; ///< in pools_
    uint64_t lead = 0; ///< bytes before it there, which preserve its alignment
  };
  /// By pool of the model (kOperandValues: Model::operandValues), then by first byte.
  using Ranges = std::map<uint32_t, std::map<uint64_t, Range>>;

  bool isZeros(const Operand &operand) const;
  static uint32_t sourceOf(const Operand &operand);
  void note(const Subgraph &subgraph);
  void merge();
  Outcome pay(Quota *memory);
  Outcome read(const Model &model);

  Ranges ranges_;
  ConstantUse use_ = ConstantUse::Compile;
  uint64_t zeroBytes_ = 0; ///< size of the largest constant that reads as zeros
  std::shared_ptr<const uint8_t> zeros_;
  Charge charge_; ///< for pools_
  std::vector<std::vector<uint8_t>> pools_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_CONSTANTPOOLS_H
