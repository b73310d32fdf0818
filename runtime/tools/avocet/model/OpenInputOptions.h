//===- OpenInputOptions.h - Options for what a model leaves open *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --shape, --dim and --value of all commands that compile a model.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPENINPUTOPTIONS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPENINPUTOPTIONS_H

#include "avocet/base/CommandLine.h"
#include "avocet/network/OpenInputs.h"

namespace avocet::tool {

using network::OpenInputs;

void addOptions(CommandLine &command, OpenInputs &inputs);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_OPENINPUTOPTIONS_H
