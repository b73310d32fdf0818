//===- StaticDecisions.h - Decisions without scripts ---------------*- C++ -*- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_STATICDECISIONS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_STATICDECISIONS_H

#include "ReportDocument.h"

#include <string>

namespace avocet::tool {

/// The decisions of the compiler as a table that the reader opens; each row has one line for the choice and one for
/// each alternative. A sentence if there are none.
std::string decisionTable(const Json &document);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_STATICDECISIONS_H
