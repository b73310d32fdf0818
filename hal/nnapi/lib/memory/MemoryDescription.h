//===- MemoryDescription.h - Uses of a memory to be made ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORYDESCRIPTION_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORYDESCRIPTION_H

#include "memory/Memory.h"

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <set>
#include <vector>

namespace avocet::nnapi {

class Compilation;

/// ANeuralNetworksMemoryDesc: collects the uses of a memory. Belongs to one thread until it is finished.
class MemoryDescription {
public:
  ApiOutcome addRole(std::shared_ptr<const Compilation> compilation, bool isOutput, uint32_t index, float frequency);
  ApiOutcome setDimensions(std::vector<uint32_t> dimensions);
  ApiOutcome finish();

  /// OP_FAILED: no driver allocates it, and shared memory cannot replace it.
  ApiResult<std::shared_ptr<Memory>> allocate() const;

private:
  struct Role {
    std::shared_ptr<const Compilation> compilation;
    uint32_t index = 0;
    float frequency = 0;
  };
  static std::vector<hal::BufferRole> halRoles(const std::vector<Role> &roles);
  /// The operand that all uses describe together.
  ApiResult<hal::Operand> combine() const;
  std::set<MemoryUse> uses() const;
  std::shared_ptr<hal::IDevice> commonDevice() const;
  bool mayBeShared() const;

  std::vector<Role> inputs_, outputs_;
  std::vector<uint32_t> dimensions_;
  bool isFinished_ = false;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORYDESCRIPTION_H
