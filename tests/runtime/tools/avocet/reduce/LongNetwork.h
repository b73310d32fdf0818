//===- LongNetwork.h - Networks for tests of the reducer -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_TOOLS_REDUCE_LONGNETWORK_H
#define AVOCET_TESTS_TOOLS_REDUCE_LONGNETWORK_H

#include "Tflite_generated.h"

#include <cstdint>
#include <string>

namespace avocet::tool::test {

/// A float32 network of `operators` operators on 8x8x8 images: convolutions, activations, and arithmetic with results
/// of earlier operators. Exactly one minimum reads the result of a subtraction: operator 2/3 of the way.
tflite::ModelT longNetwork(size_t operators);

/// The file of a model.
std::string fileOf(const tflite::ModelT &model);

} // namespace avocet::tool::test

#endif // AVOCET_TESTS_TOOLS_REDUCE_LONGNETWORK_H
