//===- JoinedPart.h - A part of a concatenation -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_JOINEDPART_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_JOINEDPART_H

#include "avocet/analysis/SourceMap.h"

#include <optional>
#include <span>
#include <vector>

namespace avocet::tool {

/// Where the first result of an operation lies in a larger tensor, whose buffer its tiles write.
struct JoinedPart {
  analysis::ElementPlace begin;
  uint32_t width = 0, channels = 0; ///< of the whole tensor

  bool operator==(const JoinedPart &) const = default;
};

/// The part of a tensor of `wholeBytes` bytes that an operation computes, from the strides and addresses of its tiles
/// in their buffer. None: its tiles write no such buffer, or do not agree.
std::optional<JoinedPart> joinedPartOf(const analysis::SourceMap &map, uint32_t operation, uint64_t wholeBytes);

/// The bytes of the part, of the whole tensor.
std::vector<uint8_t> bytesOfPart(const JoinedPart &part, const cache::SourceOperationView &operation,
                                 std::span<const uint8_t> whole);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPARE_JOINEDPART_H
