//===- Selections.cpp - Operands of look-ups and selections ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Rules.h"

namespace avocet::hal {

using enum OperationType;
using enum Version;

static constexpr Form kEmbedding[] = {{"it", "t", V1_0}};
static constexpr Form kHashtable[] = {{"iit", "tu", V1_0}};
static constexpr Form kLshProjection[] = {{"tntI", "i", V1_0}};
static constexpr Form kGather[] = {{"tIi", "t", V1_2}};
static constexpr Form kMultinomial[] = {{"tIi", "i", V1_2}};
static constexpr Form kTopK[] = {{"tI", "ti", V1_2}};

static constexpr OperationSignature kRows[] = {
    {EmbeddingLookup, "f1 i3 u3 h4 s4", kEmbedding, 1}, {HashtableLookup, "f1 i1 u1", kHashtable, 2},
    {LshProjection, "f1 h3", kLshProjection},           {Gather, "f3 h3 i3 u3 s4", kGather},
    {RandomMultinomial, "f3 h3", kMultinomial},         {TopkV2, "f3 h3 i3 u3 s4", kTopK},
};

std::span<const OperationSignature> selectionSignatures() { return kRows; }

} // namespace avocet::hal
