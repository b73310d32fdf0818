//===- ServedText.h - Text of a run on a device of a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDTEXT_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDTEXT_H

#include "Report.h"

namespace avocet::tool {

/// The table of times, and further lines in the form of renderTable().
std::string servedText(const Report &report, const ServedFigures &served);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDTEXT_H
