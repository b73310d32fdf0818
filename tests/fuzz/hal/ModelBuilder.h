//===- ModelBuilder.h - Models and requests from arbitrary bytes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_HAL_MODELBUILDER_H
#define AVOCET_TESTS_FUZZ_HAL_MODELBUILDER_H

#include "avocet/hal/types/Types.h"

#include <fuzzer/FuzzedDataProvider.h>

namespace avocet::hal::fuzzing {

/// A chain of up to three operations whose operands are mostly valid, with up to three fields changed to any value.
Model buildModel(FuzzedDataProvider &data);

/// A request for the model's inputs and outputs that is mostly valid, with some fields changed to any value. Pools are
/// small memory files; some are shorter than they state, some handles are of unknown kinds.
Request buildRequest(const Model &model, FuzzedDataProvider &data);

} // namespace avocet::hal::fuzzing

#endif // AVOCET_TESTS_FUZZ_HAL_MODELBUILDER_H
