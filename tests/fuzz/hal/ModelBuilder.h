//===- ModelBuilder.h - Models and requests out of arbitrary bytes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_HAL_MODELBUILDER_H
#define AVOCET_TESTS_FUZZ_HAL_MODELBUILDER_H

#include "avocet/hal/Types.h"

#include <fuzzer/FuzzedDataProvider.h>

namespace avocet::hal::fuzzing {

/// A chain of a few operations whose operands mostly fit, with some fields changed to anything.
Model buildModel(FuzzedDataProvider &data);

/// A request for the model's inputs and outputs that mostly fits, with some fields changed to anything. Pools are small
/// memory files; some handles are closed or of unknown kinds.
Request buildRequest(const Model &model, FuzzedDataProvider &data);

} // namespace avocet::hal::fuzzing

#endif // AVOCET_TESTS_FUZZ_HAL_MODELBUILDER_H
