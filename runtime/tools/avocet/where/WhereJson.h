//===- WhereJson.h - Answers of avocet where, as JSON -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHEREJSON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHEREJSON_H

#include "WhereReport.h"

namespace avocet::tool {

/// As schemas/where.schema.json describes.
std::string whereJson(const WhereReport &report, const WhereAnswer &answer);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_WHERE_WHEREJSON_H
