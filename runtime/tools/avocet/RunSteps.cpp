//===- RunSteps.cpp - Inputs and outputs of any session -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunSteps.h"
#include "avocet/base/StandardStreams.h"

#include "ReportJson.h"
#include "ReportTable.h"

namespace avocet::tool {

void printReport(const Report &report, ReportFormat format) {
  if (format != ReportFormat::None)
    printOut("{}", format == ReportFormat::Json ? renderJson(report) : renderTable(report));
}

} // namespace avocet::tool
