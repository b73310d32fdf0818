//===- Mutations.h - Models with one broken rule ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Families of mutations like those in Android's own driver tests (hal 1.3 vts ValidateModel.cpp): each changes a valid
// model so that it breaks one rule in one operand or operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_TYPES_MUTATIONS_H
#define AVOCET_TESTS_HAL_TYPES_MUTATIONS_H

#include "avocet/hal/types/Types.h"

#include <functional>
#include <string>
#include <vector>

namespace avocet::hal::test {

struct Mutation {
  std::string family;
  std::string place; ///< text that the refusal must contain: "operand 3", "operation 1", "pool 0", or empty
  std::function<void(Model &)> apply;
};

/// All mutations of all families that apply to the model's main subgraph.
std::vector<Mutation> mutationsOf(const Model &model);

/// Whether the message contains the place as whole words: "operand 1" is not in "operand 12".
bool names(const std::string &message, const std::string &place);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_TYPES_MUTATIONS_H
