//===- Shares.cpp - Commands for several threads --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Shares.h"

#include "avocet/firmware_iface/Footprint.h"

namespace avocet::kernels {

using namespace firmware;

bool readsItsResults(const CommandBody &command) {
  std::vector<ByteRange> ranges;
  appendFootprint(command, ranges);
  for (const ByteRange &written : ranges)
    for (const ByteRange &read : ranges)
      if (written.write && !read.write && written.region == read.region && written.begin < read.end &&
          read.begin < written.end)
        return true;
  return false;
}

std::vector<CommandBody> Kernel::shares(const Target &target, const CommandBody &command, uint32_t most) const {
  if (most < 2 || readsItsResults(command))
    return {};
  return divide(target, command, most);
}

std::vector<CommandBody> Kernel::divide(const Target &, const CommandBody &, uint32_t) const { return {}; }

} // namespace avocet::kernels
