//===- SmallModels.h - Models and memory for tests of the driver ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_SMALLMODELS_H
#define AVOCET_TESTS_HAL_DRIVER_SMALLMODELS_H

#include "avocet/hal/driver/Driver.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::hal::testing {

/// Memory that the test maps and the driver uses as a pool.
class TestPool {
public:
  explicit TestPool(uint64_t bytes);
  SharedMemory memory() const { return memory_; }
  std::span<uint8_t> bytes() { return mapping_.bytes(); }
  template <typename T> std::span<T> as() {
    return {reinterpret_cast<T *>(mapping_.bytes().data()), mapping_.bytes().size() / sizeof(T)};
  }

private:
  SharedMemory memory_;
  Mapping mapping_;
};

Operand tensor(OperandType type, std::vector<uint32_t> dimensions, OperandLifeTime lifetime);
/// An INT32 scalar whose bytes are appended to the model's operand values.
Operand scalarConstant(Model &model, int32_t value);
/// A FLOAT32 scalar, as above.
Operand floatConstant(Model &model, float value);

/// output = input0 + input1, float32 of these dimensions.
Model addModel(const std::vector<uint32_t> &dimensions);
/// output = input + constant, float32; the constant lies in a pool.
Model addConstantModel(const std::vector<float> &constant);

/// Inputs one after the other in pool 0, outputs in pool 1.
Request requestOf(const std::vector<uint64_t> &inputBytes, const std::vector<uint64_t> &outputBytes,
                  const TestPool &inputs, const TestPool &outputs);

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_SMALLMODELS_H
