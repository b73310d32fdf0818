//===- ExplanationText.h - What avocet explain prints -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_EXPLANATIONTEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_EXPLANATIONTEXT_H

#include "avocet/documents/Explanation.h"

#include <string>

namespace avocet::tool {

std::string explanationText(const documents::Explanation &explanation);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_EXPLANATIONTEXT_H
