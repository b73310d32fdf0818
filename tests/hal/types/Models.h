//===- Models.h - Small valid models and requests ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_TYPES_MODELS_H
#define AVOCET_TESTS_HAL_TYPES_MODELS_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::hal::test {

/// Adds operands and operations to one subgraph; constants go to the model's operand values.
class GraphBuilder {
public:
  GraphBuilder(Model &model, Subgraph &graph) : model_(model), graph_(graph) {}

  /// Each returns the operand's index.
  uint32_t input(Operand operand);
  uint32_t output(Operand operand);
  uint32_t temporary(Operand operand);
  uint32_t noValue(Operand operand);
  /// Zeros of the operand's size in the operand values, or in pool 0 from `offset` on.
  uint32_t constant(Operand operand);
  uint32_t pooled(Operand operand, uint64_t offset);
  uint32_t scalar(int32_t value);
  uint32_t flag(bool value);
  uint32_t subgraph(uint32_t index);

  void operation(OperationType type, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);

private:
  uint32_t add(Operand operand, OperandLifeTime lifetime);

  Model &model_;
  Subgraph &graph_;
};

Operand tensor(OperandType type, std::vector<uint32_t> dimensions, float scale = 0, int32_t zeroPoint = 0);

/// An operand that refers to subgraph `index`.
Operand subgraphReference(uint64_t index);

/// Memory of `size` bytes.
SharedMemory ashmem(uint64_t size);

struct NamedModel {
  std::string name;
  Model model;
  Version needs; ///< lowest version for its operations and types
};

/// At least one for each version that added operations or rules: floats, 8 bits in two signs, per channel, pools,
/// omitted operands, unknown shapes, branches, loops, extensions.
std::vector<NamedModel> baseModels();

/// Inputs and outputs of the model, one after the other, in one pool. All shapes must be known.
Request requestFor(const Model &model);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_TYPES_MODELS_H
