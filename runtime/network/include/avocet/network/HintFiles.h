//===- HintFiles.h - Files with schedule hints ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_HINTFILES_H
#define AVOCET_NETWORK_HINTFILES_H

#include "avocet/base/Status.h"

#include <string>

namespace avocet::network {

/// The text of a hint file, for compiler::CompileRequest::hints. Empty without a path.
Result<std::string> readHints(const std::string &path);

} // namespace avocet::network

#endif // AVOCET_NETWORK_HINTFILES_H
