//===- Memory.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Memory.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

namespace avocet::nnapi {

ApiOutcome checkRange(uint64_t size, uint64_t offset, uint64_t length) {
  auto end = hal::checkedAdd(offset, length);
  if (length == 0 || !end.has_value() || *end > size)
    return badData(fmt::format("{} bytes at offset {} of a memory of {} bytes", length, offset, size));
  return success();
}

} // namespace avocet::nnapi
