//===- Seeds.h - Seeds of the fuzz targets with scripts ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SEEDS_SEEDS_H
#define AVOCET_TESTS_FUZZ_SEEDS_SEEDS_H

#include "avocet/base/Status.h"

#include <string>

namespace avocet::fuzz {

/// Write the seeds into an existing folder; `folder` ends with a slash.
Status makeServiceSeeds(const std::string &folder);
Status makeClientSeeds(const std::string &folder);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SEEDS_SEEDS_H
