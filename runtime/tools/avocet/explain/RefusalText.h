//===- RefusalText.h - Refused operators for people -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_REFUSALTEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_REFUSALTEXT_H

#include "avocet/documents/Refusals.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// A block for each: operator, tensor, rule, what was found, what is accepted, and what to do.
std::string refusalText(const std::vector<documents::RefusedOperator> &operators);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_REFUSALTEXT_H
