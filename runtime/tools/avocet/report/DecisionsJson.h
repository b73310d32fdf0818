//===- DecisionsJson.h - Decisions of the compiler in reports ------*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_DECISIONSJSON_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_DECISIONSJSON_H

#include "RemarkLog.h"
#include "ReportDocument.h"

namespace avocet::tool {

/// The value of "decisions" in the data of a report.
Json decisionsJson(const cache::ModelCache &model, const std::vector<OwnedRemark> &remarks);

/// Adds "predicted_cycles" to the layers of a report for which the compiler predicted them.
void addPredictions(const std::vector<OwnedRemark> &remarks, Json &layers);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_DECISIONSJSON_H
