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

#ifndef AVOCET_DOCUMENTS_REPORTDOCUMENT_H
#define AVOCET_DOCUMENTS_REPORTDOCUMENT_H

#include "avocet/network/ModelSource.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace avocet::documents {

using Json = nlohmann::ordered_json;

inline constexpr uint32_t kReportVersion = 1;

struct ReportOptions {
  bool withIr = true; ///< of files; artefacts hold none
};

/// Compiles the model if it is a file, runs it once as session::runProfiled() does, and collects everything.
Result<Json> makeDocument(const network::ModelChoice &choice, const ReportOptions &options,
                          network::Observer &observer);

/// What --data writes.
std::string documentText(const Json &document);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_REPORTDOCUMENT_H
