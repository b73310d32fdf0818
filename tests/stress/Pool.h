//===- Pool.h - Shared memory of one argument ----------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_POOL_H
#define AVOCET_TESTS_STRESS_POOL_H

#include "avocet/base/File.h"
#include "avocet/hal/types/Interfaces.h"

namespace avocet::stress {

/// An Ashmem pool, mapped here.
class Pool {
public:
  /// ResourceExhaustedTransient: no descriptors or memory left.
  static hal::Result<Pool> make(uint64_t size);

  const hal::SharedMemory &memory() const { return memory_; }
  uint64_t size() const { return size_; }
  int descriptor() const;
  void fill(std::span<const uint8_t> bytes);
  void clear();
  std::vector<uint8_t> copy() const;

private:
  hal::SharedMemory memory_;
  Mapping mapping_;
  uint64_t size_ = 0;
};

/// A request with one input that fills one pool and one output that fills another.
hal::Request requestOf(const Pool &input, const Pool &output);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_POOL_H
