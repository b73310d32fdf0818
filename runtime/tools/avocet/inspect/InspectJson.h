//===- InspectJson.h - avocet inspect --json --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_INSPECT_INSPECTJSON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_INSPECT_INSPECTJSON_H

#include "avocet/cache/ArtefactDir.h"

#include <string>

namespace avocet::tool {

/// What artefacts hold, for programs (schemas/inspect.schema.json). `commands`: also the text of each command.
Result<std::string> inspectJson(const cache::Artefacts &artefacts, bool commands);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_INSPECT_INSPECTJSON_H
