//===- SourceJson.h - The source map in the data of a report ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_SOURCEJSON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_SOURCEJSON_H

#include "ReportDocument.h"

namespace avocet::tool {

/// `source_map` of report.schema.json. Its lists are empty if the model has no source map.
Json sourceMapJson(const cache::ModelCache &model);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_SOURCEJSON_H
