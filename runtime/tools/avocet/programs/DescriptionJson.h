//===- DescriptionJson.h - Options of a program as JSON ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_DESCRIPTIONJSON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_DESCRIPTIONJSON_H

#include "avocet/base/CommandDescription.h"

#include <string>

namespace avocet::tool {

/// A command without subcommands, for parseDescription() in another program.
std::string describeJson(const CommandDescription &command);

/// DataLoss: the text is no such description.
Result<CommandDescription> parseDescription(const std::string &text);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_PROGRAMS_DESCRIPTIONJSON_H
