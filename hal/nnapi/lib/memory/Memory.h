//===- Memory.h - A memory of the application -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORY_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORY_H

#include "api/ApiResult.h"
#include "avocet/hal/types/Types.h"
#include "memory/SharedArea.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace avocet::nnapi {

/// One use of a memory: input or output `index` of executions of a compilation.
struct MemoryUse {
  uint64_t compilation = 0; ///< Compilation::number()
  bool isOutput = false;
  uint32_t index = 0;
  auto operator<=>(const MemoryUse &) const = default;
};

/// Thread-safe.
class Memory {
public:
  virtual ~Memory() = default;

  /// In bytes; 0: unknown, the driver decides.
  virtual uint64_t size() const = 0;
  /// Null for memories that only devices can access.
  virtual const hal::SharedMemory &shared() const = 0;
  /// As a pool of a request.
  virtual hal::RequestPool pool() const = 0;

  /// Whether a value of these extents, as far as they are known, may lie at [offset, offset + length) of the memory
  /// when it is used so. (0, 0): the whole memory.
  virtual ApiOutcome checkUse(const MemoryUse &use, const std::vector<uint32_t> &dimensions, uint64_t offset,
                              uint64_t length) const = 0;
  /// The same for a constant of a model.
  virtual ApiOutcome checkConstant(uint64_t offset, uint64_t length) const = 0;
  /// Whether it was made from a descriptor, so that it has the extents of its value.
  virtual bool isDescribed() const { return false; }
  /// OP_FAILED: it has no value yet, or a failed execution or copy has taken it.
  virtual ApiOutcome checkWritten() const { return success(); }
  /// Extents of the value that it holds; empty: not known.
  virtual std::vector<uint32_t> dimensions() const { return {}; }
  /// Tells the memory how an execution that wrote it has ended, and the extents that were written.
  virtual void noteWritten(bool /*isSuccessful*/, const std::vector<uint32_t> & /*dimensions*/) {}

  /// Copies the whole of `source` to this memory.
  virtual ApiOutcome copyFrom(const Memory &source) = 0;
  /// Copies the whole of this memory to a shared one.
  virtual ApiOutcome copyTo(const hal::SharedMemory &destination) const = 0;

  MemoryIdentity &identity() { return identity_; }

private:
  MemoryIdentity identity_;
};

/// InvalidArgument as BAD_DATA unless [offset, offset + length) lies within `size` bytes and is not empty.
ApiOutcome checkRange(uint64_t size, uint64_t offset, uint64_t length);

/// Copies the whole of one memory to another of the same size. BAD_DATA: other sizes, or the destination is read-only.
/// UNMAPPABLE.
ApiOutcome copyBytes(const hal::SharedMemory &from, const hal::SharedMemory &to);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_MEMORY_H
