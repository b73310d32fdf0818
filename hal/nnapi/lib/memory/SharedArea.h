//===- SharedArea.h - Memory that this process and devices map ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_SHAREDAREA_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_SHAREDAREA_H

#include "api/ApiResult.h"

#include "avocet/base/File.h"
#include "avocet/hal/types/Types.h"

#include <span>

namespace avocet::nnapi {

/// Anonymous memory as a pool of models and requests. Not thread-safe for conflicting accesses.
class SharedArea {
public:
  /// Requires size > 0. OUT_OF_MEMORY.
  static ApiResult<SharedArea> make(uint64_t size);

  const hal::SharedMemory &memory() const { return memory_; }
  std::span<uint8_t> bytes() { return mapping_.bytes(); }

private:
  hal::SharedMemory memory_;
  Mapping mapping_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_SHAREDAREA_H
