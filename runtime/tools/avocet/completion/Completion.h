//===- Completion.h - Completions of shells, manual page --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scripts for shells and the manual page, generated from the description of the command line, so that they always have
// its options.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_COMPLETION_COMPLETION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_COMPLETION_COMPLETION_H

#include "avocet/base/CommandDescription.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// Values of an option that also accepts files: the names of targets. Empty for other options.
std::vector<std::string> namedValues(const OptionDescription &option);

std::string bashCompletion(const CommandDescription &program);
std::string zshCompletion(const CommandDescription &program);
std::string fishCompletion(const CommandDescription &program);
std::string manualPage(const CommandDescription &program);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_COMPLETION_COMPLETION_H
