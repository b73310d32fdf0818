//===- Arguments.h - Inputs and outputs of an execution ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_EXECUTION_ARGUMENTS_H
#define AVOCET_HAL_NNAPI_LIB_EXECUTION_ARGUMENTS_H

#include "api/ApiResult.h"
#include "compilation/Compilation.h"
#include "memory/Memory.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace avocet::nnapi {

/// Where a value lies: at a pointer of the application, or in a memory.
struct ValuePlace {
  const void *pointer = nullptr;  ///< of an output: written
  std::shared_ptr<Memory> memory; ///< null: a pointer
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// One input or output that the application has set.
struct Argument {
  enum class Kind { Unset, Omitted, Pointer, Memory };
  Kind kind = Kind::Unset;
  ValuePlace place;
  std::vector<uint32_t> dimensions; ///< given with the value; empty: those of the model
  uint64_t valueBytes = 0;          ///< 0: not known before the execution
  /// Whether the memory has the extents, which may change from run to run.
  bool isOpen() const { return kind == Kind::Memory && valueBytes == 0 && place.memory->isDescribed(); }
};

/// Not thread-safe.
class Arguments {
public:
  explicit Arguments(const Compilation &compilation);

  ApiOutcome setPadding(bool enable);
  /// `type` may be null. BAD_STATE: the argument is set already.
  ApiOutcome set(bool isOutput, int32_t index, const ANeuralNetworksOperandType *type, ValuePlace place);

  /// BAD_DATA: one is missing.
  ApiOutcome checkComplete() const;
  /// Whether the extents of an input are those of its memory.
  bool hasOpenInputs() const { return std::ranges::any_of(inputs_, &Argument::isOpen); }
  /// OP_FAILED: an input lies in a memory that has no value.
  ApiOutcome checkReadable() const;
  /// BAD_DATA: the size of an output is not known.
  ApiOutcome checkOutputsSpecified() const;

  const std::vector<Argument> &inputs() const { return inputs_; }
  const std::vector<Argument> &outputs() const { return outputs_; }

private:
  ApiResult<Argument *> find(bool isOutput, int32_t index);
  ApiResult<std::vector<uint32_t>> dimensionsOf(const hal::Operand &operand,
                                                const ANeuralNetworksOperandType *type) const;
  ApiResult<uint64_t> valueBytes(const hal::Operand &operand, const std::vector<uint32_t> &dimensions) const;
  ApiOutcome checkLength(const ValuePlace &place, uint64_t valueBytes) const;

  const Compilation &compilation_;
  std::vector<Argument> inputs_, outputs_;
  bool mayPad_ = false;
  bool isAnySet_ = false;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_EXECUTION_ARGUMENTS_H
