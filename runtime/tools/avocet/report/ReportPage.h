//===- ReportPage.h - The page of a report ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_REPORTPAGE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_REPORTPAGE_H

#include "DocumentFile.h"

#include <span>
#include <string>

namespace avocet::tool {

/// One HTML file without references to others, for one run or for two that are compared. Its tables are readable
/// without JavaScript.
Result<std::string> makePage(std::span<const Json> runs);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_REPORTPAGE_H
