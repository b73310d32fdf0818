//===- DecisionText.h - Decisions of the compiler for people ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_DECISIONTEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_DECISIONTEXT_H

#include "avocet/documents/Remarks.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// The decisions as text: what was chosen and why, then a table of the alternatives. `cycles`: of the network, to which
/// changes are compared. Empty without remarks.
std::string decisionText(const std::vector<documents::OwnedRemark> &remarks, uint64_t cycles);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_DECISIONTEXT_H
