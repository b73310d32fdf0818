//===- TestModels.h - Small models and their memory -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_PARTITION_TESTMODELS_H
#define AVOCET_TESTS_HAL_PARTITION_TESTMODELS_H

#include "Models.h"
#include "avocet/base/File.h"
#include "avocet/hal/types/Interfaces.h"

#include <cstdint>
#include <vector>

namespace avocet::hal::test {

inline constexpr uint32_t kLength = 4;

/// A float tensor of kLength elements.
Operand vectorOf(uint32_t length = kLength);

/// x -> RELU(x + x) * x: operations ADD, RELU, MUL. With `isOpen`, the lengths of all but the input are unknown.
Model chain(bool isOpen = false);

/// (x, flag) -> if flag then x + x else x * x. With `isOpen`, all lengths but the input's are unknown.
Model branch(bool isOpen = false);

/// x -> while x < limit: x = x + x, for one element.
Model loop(float limit);

/// Requires a memory of ashmem().
Mapping mapMemory(const SharedMemory &memory);

/// Memory of the inputs, then of the outputs; each at its own multiple of 64 bytes.
class Buffers {
public:
  /// `outputBytes`: of each output's region.
  Buffers(const std::vector<std::vector<float>> &inputs, const std::vector<uint64_t> &outputBytes);
  /// Adds a boolean input of one element.
  void addFlag(bool value);

  const Request &request() const { return request_; }
  Request &request() { return request_; }
  std::vector<float> output(size_t index = 0) const;

private:
  RequestArgument place(uint64_t bytes);

  SharedMemory memory_;
  uint64_t used_ = 0;
  Request request_;
};

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_PARTITION_TESTMODELS_H
