//===- Mutations.h - One broken rule at a time ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Families of mutations after those that Android's own driver tests use (hal 1.3 vts ValidateModel.cpp): each takes a
// valid model and breaks one rule on one operand or operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_TYPES_MUTATIONS_H
#define AVOCET_TESTS_HAL_TYPES_MUTATIONS_H

#include "avocet/hal/Types.h"

#include <functional>
#include <string>
#include <vector>

namespace avocet::hal::test {

struct Mutation {
  std::string family;
  std::string place; ///< what a refusal must name: "operand 3", "operation 1", "pool 0", or empty
  std::function<void(Model &)> apply;
};

/// Every mutation of every family that fits the model's main subgraph.
std::vector<Mutation> mutationsOf(const Model &model);

/// Whether the message has the place as whole words: "operand 1" is not in "operand 12".
bool names(const std::string &message, const std::string &place);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_TYPES_MUTATIONS_H
