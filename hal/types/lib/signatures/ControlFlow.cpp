//===- ControlFlow.cpp - Operands of IF and WHILE -------------------------===//
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

static constexpr Form kIf[] = {{"bGGa*", "a+", V1_3}};
static constexpr Form kWhile[] = {{"GGa+", "a+", V1_3}};

static constexpr OperationSignature kRows[] = {
    {If, "", kIf, 0, checkIf},
    {While, "", kWhile, 0, checkWhile},
};

std::span<const OperationSignature> controlFlowSignatures() { return kRows; }

} // namespace avocet::hal
