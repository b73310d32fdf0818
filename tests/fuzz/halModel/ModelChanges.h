//===- ModelChanges.h - Random changes of models ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_HALMODEL_MODELCHANGES_H
#define AVOCET_TESTS_FUZZ_HALMODEL_MODELCHANGES_H

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::hal::test {

/// Reads numbers from the input; zeros after its end.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool isAtEnd() const { return bytes_.empty(); }

  uint8_t byte() {
    if (bytes_.empty())
      return 0;
    uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }

  /// A number below 248 is one byte. A first byte of 248 to 251 precedes four bytes of any value; others precede eight.
  uint64_t number() {
    uint8_t first = byte();
    if (first < 248)
      return first;
    uint64_t value = 0;
    for (int i = 0; i < (first < 252 ? 4 : 8); ++i)
      value = value << 8 | byte();
    return value;
  }

  /// An element of a list that is not empty.
  template <typename T> T &pick(std::vector<T> &list) { return list[byte() % list.size()]; }

private:
  std::span<const uint8_t> bytes_;
};

/// Appends, removes or sets an element.
void changeList(std::vector<uint32_t> &list, Reader &reader);

/// One change of any field by the next bytes. The model grows at most to a small size.
void changeModel(Model &model, Reader &reader);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_FUZZ_HALMODEL_MODELCHANGES_H
