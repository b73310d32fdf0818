//===- ReportDocument.h - The data of a report ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON document for one model and one run of it, by report.schema.json. The page of `avocet report` shows it, and
// `avocet report --data` writes it, so that a later report can compare with it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_REPORTDOCUMENT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_REPORTDOCUMENT_H

#include "avocet/session/LocalSession.h"
#include "model/ModelSource.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace avocet::tool {

using Json = nlohmann::ordered_json;

inline constexpr uint32_t kReportVersion = 1;

struct ReportOptions {
  bool withIr = true; ///< of files; artefacts hold none
};

/// Compiles the model if it is a file, runs it once as session::runProfiled() does, and collects everything.
Result<Json> makeDocument(const ModelChoice &choice, const ReportOptions &options, Progress &progress);

/// Reads what --data wrote. InvalidArgument or DataLoss says what is wrong with the file.
Result<Json> readDocument(const std::string &path);

/// DataLoss unless the document keeps report.schema.json and its tables have the lengths that belong together.
Status checkDocument(const Json &document, const std::string &origin);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_REPORTDOCUMENT_H
