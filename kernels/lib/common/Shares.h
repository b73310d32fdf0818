//===- Shares.h - Commands for several threads ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for Kernel::divide(): results are divided along one axis into shares of about equal size.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_SHARES_H
#define AVOCET_KERNELS_LIB_COMMON_SHARES_H

#include "avocet/base/Rounding.h"
#include "common/MapParts.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace avocet::kernels {

/// Calls f(first, count) for up to `most` shares of [0, extent), all but the last of a multiple of `granule`; not at
/// all if there would be one.
template <typename F> void forEachShare(uint32_t extent, uint32_t granule, uint32_t most, F &&f) {
  const uint64_t units = divideUp(uint64_t(extent), granule);
  const uint64_t shares = std::min<uint64_t>(units, most);
  auto boundary = [&](uint64_t share) {
    return static_cast<uint32_t>(std::min<uint64_t>(units * share / shares * granule, extent));
  };
  for (uint64_t share = 0; shares > 1 && share < shares; ++share)
    f(boundary(share), boundary(share + 1) - boundary(share));
}

/// Whether a command reads bytes that it writes, other than each element in its own place just before it is written:
/// its shares would depend on each other.
bool readsItsResults(const firmware::CommandBody &command);

/// Whether two maps have bytes in common, by their footprints.
bool overlap(const firmware::FeatureMap &a, const firmware::FeatureMap &b);

/// Shares of output rows of a command with `input`, `output` and `window`.
template <typename Command> std::vector<firmware::CommandBody> divideWindowRows(const Command &command, uint32_t most) {
  const firmware::Window &window = command.window;
  // Shares at the end may lie wholly in the padding, without a row of the input.
  if (int64_t(command.output.height - 1) * window.strideHeight - window.padTop >= int64_t(command.input.height))
    return {};
  std::vector<firmware::CommandBody> shares;
  forEachShare(command.output.height, 1, most, [&](uint32_t first, uint32_t count) {
    const int64_t top = int64_t(first) * window.strideHeight - window.padTop;
    const auto inputRow = static_cast<uint32_t>(std::max<int64_t>(top, 0));
    Command share = command;
    share.window.padTop = static_cast<uint32_t>(std::max<int64_t>(-top, 0));
    share.input = sliceOf(share.input, MapAxis::Rows, inputRow, command.input.height - inputRow);
    share.output = sliceOf(share.output, MapAxis::Rows, first, count);
    shares.push_back(share);
  });
  return shares;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_SHARES_H
