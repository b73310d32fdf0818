//===- WhereText.h - Answers of avocet where, as text -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHERETEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHERETEXT_H

#include "WhereReport.h"

namespace avocet::tool {

enum class CommandDetail { Summary, Buffers }; ///< Buffers: also what the command reads and writes, and its encoding

std::string whereText(const WhereReport &report, const WhereAnswer &answer, CommandDetail detail);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHERETEXT_H
