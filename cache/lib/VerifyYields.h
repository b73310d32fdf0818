//===- VerifyYields.h - The rules of yields ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_VERIFYYIELDS_H
#define AVOCET_CACHE_LIB_VERIFYYIELDS_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <set>
#include <utility>

namespace avocet::cache {

/// The rules of firmware::YieldCommand that streams show without the command list they come from. Numbers ascend in
/// each stream, and those of a section are 1, 2, 3, ... over all of its streams (a stream may leave out points between
/// which it does no work). Live ranges are ascending, disjoint and below `sramBytes`.
class YieldRules {
public:
  explicit YieldRules(uint64_t sramBytes) : sramBytes_(sramBytes) {}

  void beginStream(uint32_t section) {
    section_ = section;
    last_ = 0;
  }

  /// The next yield of the stream.
  Status verify(const firmware::YieldCommand &yield);

  /// Call this after all streams.
  Status verifyNumbers() const;

private:
  uint64_t sramBytes_;
  uint32_t section_ = 0, last_ = 0;
  std::set<std::pair<uint32_t, uint32_t>> points_; ///< of all streams, by section
};

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_VERIFYYIELDS_H
