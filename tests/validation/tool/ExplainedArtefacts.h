//===- ExplainedArtefacts.h - Whether artefacts can be explained --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_EXPLAINEDARTEFACTS_H
#define AVOCET_VALIDATION_TOOL_EXPLAINEDARTEFACTS_H

#include "avocet/compiler/Compiler.h"

#include <string>

namespace avocet::tool {

/// Runs what 'report' and 'explain' do with artefacts that have a source map, checks their figures (FigureRules.h) and
/// drops the texts. The error is the first of them.
Status checkExplained(const compiler::CompileResult &result, const std::string &target);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_EXPLAINEDARTEFACTS_H
