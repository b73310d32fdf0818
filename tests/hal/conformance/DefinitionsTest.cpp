//===- DefinitionsTest.cpp - The second arithmetic of each operation ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "random/Definitions.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"

#include <gtest/gtest.h>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Computed from the operations of their subgraphs, one at a time (Evaluation.h).
bool isComputedFromParts(OperationType type) { return type == If || type == While; }

TEST(DefinitionsTest, EachOperationHasOne) {
  for (const OperationSignature &signature : allSignatures())
    EXPECT_NE(findDefinition(signature.type) != nullptr, isComputedFromParts(signature.type)) << signature.name();
}

} // namespace
} // namespace avocet::hal::conformance
