//===- HintFiles.h - Files with schedule hints ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_HINTFILES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_HINTFILES_H

namespace avocet::tool {

inline constexpr const char *kHintsHelp =
    "Schedule hints for a model file (JSON, as 'avocet explain --print-hints' writes it)";

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_HINTFILES_H
