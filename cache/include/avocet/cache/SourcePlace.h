//===- SourcePlace.h - The rule of places in the source map -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule for the compiler, which writes the source map, and for the verifier of the file.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_SOURCEPLACE_H
#define AVOCET_CACHE_SOURCEPLACE_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelDescription.h"

namespace avocet::cache {

/// Extents of an operation's first result in the storage layout.
struct ResultShape {
  uint32_t height = 0, width = 0, channels = 0;
};

/// OK if `source` has neither operation nor place, or begins at an element of its operation's result. InvalidArgument
/// names both. Does not check the index of the operation.
Status checkPlace(const SourceCommand &source, const ResultShape &result);

} // namespace avocet::cache

#endif // AVOCET_CACHE_SOURCEPLACE_H
