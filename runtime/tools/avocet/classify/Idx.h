//===- Idx.h - Labeled data sets in IDX files ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IDX format of the classic digit data sets: two zero bytes, a type byte (8: unsigned byte), the number of
// dimensions, the dimensions as big-endian 32-bit numbers, then the elements row by row. Only unsigned bytes are read:
// pictures are [count, height, width] or [count, height, width, channels], labels are [count].
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_IDX_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_IDX_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

struct IdxArray {
  std::vector<uint32_t> shape; ///< 1 to 4 dimensions; the first is the number of items
  std::vector<uint8_t> data;

  uint32_t count() const { return shape.front(); }
  /// Bytes of one item: product of all dimensions but the first.
  size_t itemBytes() const;
  /// Requires index < count().
  std::span<const uint8_t> item(size_t index) const;
};

/// `origin` names the bytes in errors. DataLoss unless the bytes are exactly one IDX array of unsigned bytes.
Result<IdxArray> parseIdx(std::span<const uint8_t> bytes, std::string_view origin);
Result<IdxArray> readIdx(const std::string &path);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_IDX_H
