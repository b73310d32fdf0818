//===- IndexCheck.h - Indices that a job found out of range -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_INDEXCHECK_H
#define AVOCET_RUNTIME_INDEXCHECK_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/runtime/Backend.h"

namespace avocet::runtime {

/// For callers whose networks must have valid indices, which TensorFlow Lite demands and NNAPI does not.
/// InvalidArgument if a job of the model found an index out of its range: the message names the operator, the index and
/// the range.
Status checkIndices(const JobOutcome &outcome, const cache::ModelCache &model);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_INDEXCHECK_H
