//===- JsonSchema.h - Checks a JSON value against a schema ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_JSONSCHEMA_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_JSONSCHEMA_H

#include "avocet/base/Status.h"

#include <nlohmann/json_fwd.hpp>

namespace avocet::tool {

/// DataLoss with the place and the rule that it breaks ("/tracks/0/engine: is 7, must be a string"). Of JSON Schema the
/// keywords type, enum, minimum, required, properties, additionalProperties and items are checked.
Status checkSchema(const nlohmann::ordered_json &value, const nlohmann::ordered_json &schema);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_JSONSCHEMA_H
