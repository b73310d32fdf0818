//===- DocumentFile.h - The data of a report, read again --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_DOCUMENTFILE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_DOCUMENTFILE_H

#include "avocet/base/Status.h"
#include "avocet/documents/ReportDocument.h"

#include <string>

namespace avocet::tool {

using documents::Json;

/// Reads what --data wrote. InvalidArgument or DataLoss says what is wrong with the file.
Result<Json> readDocument(const std::string &path);

/// DataLoss unless the document keeps report.schema.json and its tables have the lengths that belong together.
Status checkDocument(const Json &document, const std::string &origin);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_DOCUMENTFILE_H
