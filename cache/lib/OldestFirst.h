//===- OldestFirst.h - The entries of a store by age -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_OLDESTFIRST_H
#define AVOCET_CACHE_LIB_OLDESTFIRST_H

#include "avocet/cache/PrivateDirectory.h"

#include <string>
#include <vector>

namespace avocet::cache {

struct AgedFile {
  std::string path;
  int64_t nanoseconds = 0; ///< time of last modification
  uint64_t bytes = 0;
};

/// Those modified longest ago first; ties by name. Entries that go away meanwhile are left out.
std::vector<AgedFile> oldestFirst(const PrivateDirectory &directory);

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_OLDESTFIRST_H
