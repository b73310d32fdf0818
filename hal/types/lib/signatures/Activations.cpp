//===- Activations.cpp - Operands of the activation functions -------------===//
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

static constexpr Form kUnary[] = {{"t", "t", V1_0}};
static constexpr Form kElu[] = {{"tF", "t", V1_3}};

static constexpr OperationSignature kRows[] = {
    {Logistic, "f1 u1 h3 s4", kUnary},  {Relu, "f1 u1 h3 s4", kUnary}, {Relu1, "f1 u1 h3 s4", kUnary},
    {Relu6, "f1 u1 h3 s4", kUnary},     {Tanh, "f1 u3 h3 s4", kUnary}, {Elu, "f4 h4", kElu},
    {HardSwish, "f4 h4 u4 s4", kUnary},
};

std::span<const OperationSignature> activationSignatures() { return kRows; }

} // namespace avocet::hal
