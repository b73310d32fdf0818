//===- ValueMemory.h - Memory of tensors between steps ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_SESSION_LIB_VALUEMEMORY_H
#define AVOCET_RUNTIME_SESSION_LIB_VALUEMEMORY_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <memory>
#include <span>

namespace avocet::session {

/// Zeroed memory that begins at a page, as devices map it, with a mark after its end. Marks show whether a caller
/// wrote beyond the end.
class ValueMemory {
public:
  /// ResourceExhausted.
  static Result<ValueMemory> make(size_t bytes);

  std::span<uint8_t> bytes() const { return {memory_.get(), bytes_}; }
  bool isMarkWhole() const;

private:
  class Unmap {
  public:
    Unmap() : Unmap(0) {}
    explicit Unmap(size_t size) : size_(size) {}
    void operator()(uint8_t *memory) const;

  private:
    size_t size_;
  };
  std::unique_ptr<uint8_t, Unmap> memory_;
  size_t bytes_ = 0;
};

} // namespace avocet::session

#endif // AVOCET_RUNTIME_SESSION_LIB_VALUEMEMORY_H
