//===- RunPlace.cpp - Where 'avocet run' runs a network -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPlace.h"

#include "avocet/base/StandardStreams.h"
#include "avocet/documents/RunJson.h"
#include "layers/ReportCsv.h"
#include "layers/ReportTable.h"

namespace avocet::tool {

void printReport(const analysis::Report &report, ReportFormat format) {
  switch (format) {
  case ReportFormat::Table:
    return writeStandardOutput(renderTable(report));
  case ReportFormat::Json:
    return writeStandardOutput(documents::runJson(report));
  case ReportFormat::Csv:
    return writeStandardOutput(renderCsv(report));
  case ReportFormat::None:
    break;
  }
}

} // namespace avocet::tool
