//===- LayerDecisions.h - What the compiler decided for a layer -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_LAYERDECISIONS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_LAYERDECISIONS_H

#include "RemarkLog.h"
#include "sources/SourceMap.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// The decisions about a layer with their alternatives, in order: those whose choice includes the layer, and those at
/// its operators in the user's file.
std::vector<OwnedRemark> decisionsAbout(const SourceMap &map, uint32_t layer, const std::vector<OwnedRemark> &remarks);

/// The decisions as text: what was chosen and why, then a table of the alternatives. `cycles`: of the network, to which
/// changes are compared. Empty without remarks.
std::string decisionText(const std::vector<OwnedRemark> &remarks, uint64_t cycles);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLAIN_LAYERDECISIONS_H
