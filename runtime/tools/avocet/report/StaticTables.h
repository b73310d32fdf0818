//===- StaticTables.h - The report without scripts --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_STATICTABLES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_STATICTABLES_H

#include "DocumentFile.h"

#include <string>

namespace avocet::tool {

/// Summary, traffic and layers of one run, for readers without JavaScript and for printing.
std::string runTables(const Json &document);

/// What changed from one run to another: figures of the network, and of the layers that have the same name.
std::string changeTables(const Json &before, const Json &after);

/// "resnet50 on m512, --optimize 2".
std::string titleOfRun(const Json &document);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REPORT_STATICTABLES_H
